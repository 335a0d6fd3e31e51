import { expect } from "chai";
import { configureLogger, logger } from "./logger.ts";

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
});
