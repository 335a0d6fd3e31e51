import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

describe("the benchmark of a run", function () {
  this.timeout(120_000);

  it("settles a small month while gifts go on", async () => {
    const sizes = ["--hosts", "50", "--gifts", "500", "--rate", "20", "--seconds", "1"];
    // As a benchmark is run: its service has demo data. Its exit code is that of the targets, which no test measures.
    const env = { ...process.env, NODE_ENV: "development" };
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, [main, "bench", "settle", ...sizes], { env }, (_error, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
    for (const step of ["computed", "checked", "paid"])
      expect(output).to.match(new RegExp(`${step} in [\\d.]+ s, gifts' p99 [\\d.]+ ms`));
    expect(output).to.match(/computed and checked in [\d.]+ s/);
    expect(output).to.match(/20 gifts per second: p99 [\d.]+ ms, during the run [\d.]+ ms/);
  });
});
