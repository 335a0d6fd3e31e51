import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect } from "chai";
import { Command } from "commander";
import { buildTopUp } from "#shared/testing/catalogue.ts";
import { useBrowser } from "#shared/testing/clients/browser.ts";
import { buildGift, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { defaultMix } from "../scenarios/mixed.ts";
import { addScenarios } from "./commands.ts";
import { savePeople } from "./people.ts";
import type { Result } from "./result.ts";
import { type RunOptions, run } from "./run.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

/** Runs the command. Returns its exit code and what it prints. */
const command = (...args: string[]): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });

describe("a load test", function () {
  this.timeout(60_000);
  const service = useService();
  const browser = useBrowser();
  let folder: string;
  let people: string;
  let options: RunOptions;
  const at = (name: string) => join(folder, name);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hubbub-loadtest-"));
    people = at("people.jsonl");
    await buildGift({ price: 10 });
    await buildTopUp();
    const built = await Promise.all(Array.from({ length: 20 }, () => buildUser({ coins: 100_000 })));
    await savePeople(
      people,
      built.map(({ id, username, token, refreshToken }) => ({ id, name: username, accessToken: token, refreshToken })),
    );
    const lasts = { ramp: 0, seconds: 1, workers: 1, timeout: 5, clients: 2, seed: 1 };
    options = { ...lasts, url: service.url, tokenFile: people, threshold: [], mix: defaultMix };
  });
  after(() => rm(folder, { recursive: true }));

  describe("of everything at once", () => {
    let result: Result;
    let ended: { code: number; output: string };

    before(async () => {
      const names = [
        "join-and-talk",
        "gift-storm",
        "reconnect-wave",
        "join-storm",
        "browse",
        "dm",
        "games",
        "feed",
        "catalogue",
      ];
      await writeFile(at("mix.json"), JSON.stringify({ weights: Object.fromEntries(names.map((name) => [name, 1])) }));
      const files = ["--token-file", people, "--mix", at("mix.json"), "--json", at("a.json"), "--report", at("a.html")];
      const load = ["--clients", "20", "--rate", "40", "--ramp", "0.5", "--seconds", "2", "--seed", "7"];
      const promises = ["say.p99<20s", "gift.errors<=0", "say.p50<0.001ms"];
      const thresholds = promises.flatMap((promise) => ["--threshold", promise]);
      ended = await command("mixed", "--url", service.url, ...files, ...load, ...thresholds);
      const written = await readFile(at("a.json"), "utf8").catch(() => expect.fail(ended.output));
      result = JSON.parse(written) as Result;
    });

    it("finds nothing lost, and all coins in place", () => {
      expect(result.violations).to.deep.equal([]);
    });

    it("tells which thresholds are kept, and fails if one is missed", () => {
      expect(result.thresholds.map(({ kept }) => kept)).to.deep.equal([true, true, false]);
      expect(ended.output).to.match(/^✗ say\.p50<0\.001ms: say: p50 is [\d.]+ ms$/m);
      expect(ended.output).to.match(/\nfailed\n/);
      expect(result.passed).to.equal(false);
      expect(ended.code).to.equal(1);
    });

    it("measures each part", () => {
      const measured = new Set(result.timeline.flatMap(({ operations }) => Object.keys(operations)));
      const parts = ["say", "hear", "gift", "reconnect", "join", "dm", "dm:hear", "flip", "createPost", "top-up/list"];
      expect([...measured]).to.include.members(parts);
      for (const part of ["say", "gift", "dm"]) expect(result.operations[part]?.errors, part).to.equal(0);
      expect(result.arrivals.due).to.be.closeTo(80, 1);
    });

    it("prints a line now and then without a terminal, and the figures of the service", () => {
      expect(ended.output).to.match(/^\d+ s {2}\d+\/s {2}p50 [\d.]+ ms {2}p99 [\d.]+ ms {2}\d+ in flight/m);
      expect(ended.output).to.match(/^ *CPU, cores +[\d.]+/m);
      expect(result.server.length).to.be.greaterThan(0);
    });

    it("writes a page that draws its charts without a network", async () => {
      const context = await browser.current.newContext({ offline: true });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("request", (request) => request.url().startsWith("file:") || faults.push(request.url()));
      await page.goto(pathToFileURL(at("a.html")).href);
      expect(await page.locator(".charts canvas").count()).to.equal(9);
      const edges = await page
        .locator(".charts canvas")
        .evaluateAll((all) =>
          all.map((canvas) => canvas.getBoundingClientRect()).map(({ left, right, top }) => ({ left, right, top })),
        );
      for (const { top, right, left } of edges)
        expect(edges.filter((other) => other.top === top && other.left < right && other.right > left)).to.have.lengthOf(
          1,
        );
      expect(await page.locator("h1").innerText()).to.equal("Load test: mixed");
      expect(await page.locator(".verdict").innerText()).to.equal("Failed");
      expect(faults).to.deep.equal([]);
      await context.close();
    });

    it("can be compared with another, and fails where that is slower", async () => {
      const say = result.operations.say!;
      const slow = { ...say, ms: { ...say.ms, p99: say.ms.p99 * 2 + 10 } };
      const slower = { ...result, operations: { ...result.operations, say: slow } };
      await writeFile(at("b.json"), JSON.stringify(slower));
      const [same, worse] = await Promise.all(
        ["a.json", "b.json"].map((after) => command("compare", at("a.json"), at(after), "--fail-above", "20")),
      );
      expect([same!.code, worse!.code]).to.deep.equal([0, 1]);
      expect(worse!.output.match(/✗ .*/g)).to.have.lengthOf(1);
      expect(worse!.output).to.match(/✗ say: p99 .* ms \(\+\d+%\)\n/);
    });
  });

  it("makes the load as planned while the service hangs, and counts how long each call has waited", async () => {
    const network = await openNetwork(service.url);
    const running = run("browse", { ...options, url: network.url, rate: 100, seconds: 1.5 });
    await network.holdFor(700, "GET ");
    const result = await running;
    network.close();
    const all = Object.values(result.operations);
    const count = all.reduce((sum, each) => sum + each.count + each.errors, 0);
    expect(count).to.be.closeTo(150, 2);
    // Those that were due in the first half of the silence.
    const slow = result.timeline.flatMap(({ operations }) => Object.values(operations)).filter(({ max }) => max > 350);
    expect(slow.length).to.be.greaterThan(0);
    expect(Math.max(...all.map(({ ms }) => ms.max))).to.be.greaterThan(500);
  });

  it("fails, and prints the case, if a listener misses what was acknowledged", async () => {
    const network = await openNetwork(service.url);
    network.lose('"dm:new"', "load-1 0 ");
    const result = await run("dm", { ...options, url: network.url, rate: 10 });
    network.close();
    expect(result.passed).to.equal(false);
    expect(result.violations).to.have.lengthOf(1);
    expect(result.violations[0]).to.match(/didn't hear message 0\.\d+ of .*, which was acknowledged \(1 lost\)/);
  });

  it("ends in order on Ctrl-C, with a result", async () => {
    const load = ["browse", "--url", service.url, "--token-file", people, "--clients", "2", "--rate", "20"];
    const child = spawn(process.execPath, [main, ...load, "--seconds", "3600", "--ramp", "0", "--json", at("c.json")]);
    const ended = once(child, "close");
    // It tells of the first second.
    for await (const chunk of child.stdout) if (/^1 s/m.test(String(chunk))) child.kill("SIGINT");
    expect(await ended).to.deep.equal([0, null]);
    const result = JSON.parse(await readFile(at("c.json"), "utf8")) as Result;
    expect(result).to.include({ stopped: true, passed: true });
    expect(result.seconds).to.be.lessThan(60);
  });

  it("has options as the guide prints them", async () => {
    const guide = await readFile(new URL("../../docs/load-testing.md", import.meta.url), "utf8");
    const printed = [...guide.matchAll(/^npm run loadtest -- ((?:.*\\\n)*.*)$/gm)].map(([, line]) =>
      line!.replaceAll("\\\n", " "),
    );
    expect(printed.length).to.be.greaterThan(4);
    for (const line of printed) {
      const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
      addScenarios(program);
      const taken: string[] = [];
      for (const each of program.commands)
        each
          .exitOverride()
          .configureOutput({ writeErr: () => {} })
          .action(() => void taken.push(line));
      await program.parseAsync(
        line.split(/\s+/).map((word) => word.replaceAll("'", "")),
        { from: "user" },
      );
      expect(taken).to.deep.equal([line]);
    }
  });

  it("lists the commands after a mistyped one, and knows the option that others call a duration", async () => {
    const errorOf = async (...words: string[]) => {
      const child = spawn(process.execPath, [main, ...words]);
      return (await Promise.all([text(child.stderr), once(child, "close")]))[0];
    };
    expect(await errorOf("jion")).to.match(/^Unknown command "jion"\. Commands: join-and-talk, .*mixed/);
    expect(await errorOf("browse", "--duration", "4")).to.include("Use --seconds.");
  });

  it("refuses what makes no sense", async () => {
    const refusal = (name: string, more: Partial<RunOptions>) =>
      run(name, { ...options, ...more }).then(
        () => "ok",
        (error: Error) => error.message,
      );
    expect(await refusal("browse", { door: "colyseus" })).to.match(/no sense over colyseus. It knows: rest\./);
    expect(await refusal("browse", { start: true })).to.match(/--url, or --start/);
    expect(await refusal("browse", { url: "http://192.0.2.7" })).to.match(/--yes-load-this-host/);
    expect(await refusal("browse", { clients: 1000 })).to.match(/has 20 people.* needs 1000/);
    expect(await refusal("mixed", { mix: { weights: { knitting: 1 } } })).to.match(/no scenario knitting/);
  });
});

/** Divides a chunk of whole frames of a server, of less than 64 KB each. On a busy machine, several come at once. */
function framesOf(chunk: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < chunk.length; ) {
    const length = chunk[at + 1]!;
    const end = at + (length === 126 ? 4 + chunk.readUInt16BE(at + 2) : 2 + length);
    frames.push(chunk.subarray(at, end));
    at = end;
  }
  return frames;
}

/** A network before a service, which can be silent for a while, and lose something. */
async function openNetwork(serviceUrl: string) {
  const { hostname, port } = new URL(serviceUrl);
  const sockets = new Set<Socket>();
  let lost: readonly string[] = [];
  let held: Promise<void> | undefined;
  const seen: { text: string; resolve: () => void }[] = [];
  const server: Server = createServer((client) => {
    const behind = connect(Number(port), hostname);
    for (const socket of [client, behind]) sockets.add(socket.on("error", () => {}));
    client.on("data", (chunk) => {
      for (const one of seen) if (chunk.includes(one.text)) one.resolve();
      behind.write(chunk);
    });
    behind.on("data", async (chunk) => {
      if (held) await held;
      const isLost = (part: Buffer) => lost.length > 0 && lost.every((text) => part.includes(text));
      client.write(isLost(chunk) ? Buffer.concat(framesOf(chunk).filter((frame) => !isLost(frame))) : chunk);
    });
    client.on("close", () => behind.destroy());
    behind.on("close", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Loses the frames of WebSockets that contain all of these texts. */
    lose: (...texts: readonly string[]) => {
      lost = texts;
    },
    /** Holds back all answers, from the first call that contains this text. */
    holdFor: async (ms: number, text: string) => {
      await new Promise<void>((resolve) => seen.push({ text, resolve }));
      held = pause(ms);
      await held;
      held = undefined;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
