import { expect } from "chai";
import { configureLogger, logger } from "./logger.ts";
import { startTracing } from "./start-tracing.ts";
import { traced } from "./tracing.ts";

describe("the log", () => {
  afterEach(() => configureLogger({ level: "silent", pretty: false }));

  it("redacts the password in Redis errors", () => {
    const lines: string[] = [];
    configureLogger({ level: "warn", pretty: false, destination: { write: (line) => lines.push(line) } });
    const command = { name: "auth", args: ["someone", "hunter2"] };
    logger.warn({ err: Object.assign(new Error("WRONGPASS"), { command }) }, "redis connection");
    expect(lines.join()).to.include("WRONGPASS").and.not.include("hunter2");
  });

  it("contains warnings that libraries print", () => {
    const lines: string[] = [];
    configureLogger({ level: "warn", pretty: false, destination: { write: (line) => lines.push(line) } });
    console.warn("Rolling back failed with", 42);
    expect(lines.map((line) => JSON.parse(line))).to.have.length(1);
    expect(JSON.parse(lines[0]!)).to.include({ level: 40, from: "console", msg: "Rolling back failed with 42" });
  });

  it("names the trace that a line belongs to, also when the collector is away", async () => {
    const lines: string[] = [];
    configureLogger({ level: "info", pretty: false, destination: { write: (line) => lines.push(line) } });
    const stopTracing = startTracing({ endpoint: "http://127.0.0.1:1", serviceName: "hubbub", ratio: 1 });
    await traced("outer", {}, async () => {
      logger.info("first");
      await traced("inner", {}, async () => logger.info("second"));
    });
    await stopTracing();
    await traced("after", {}, async () => logger.info("third"));

    const [first, second, , third] = lines.map((line) => JSON.parse(line));
    expect(first.trace_id)
      .to.match(/^[0-9a-f]{32}$/)
      .and.equal(second.trace_id);
    expect(first.span_id)
      .to.match(/^[0-9a-f]{16}$/)
      .and.not.equal(second.span_id);
    expect(third).not.to.have.any.keys("trace_id", "span_id");
  });

  it("leaves out repetitions of the same problem, and says how many", () => {
    const lines: string[] = [];
    configureLogger({ level: "info", pretty: false, destination: { write: (line) => lines.push(line) } });
    for (let count = 0; count < 500; count += 1) {
      logger.warn({ err: new Error(`lost ${count}`) }, "the database is away");
      logger.info({ count }, "request");
    }
    logger.warn({ err: new TypeError("another") }, "the database is away");

    const parsed = lines.map((line) => JSON.parse(line));
    expect(parsed.filter(({ level }) => level === 40)).to.have.length(21);
    expect(parsed.filter(({ msg }) => msg === "request")).to.have.length(500);
  });
});
