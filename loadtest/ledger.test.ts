import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

describe("the benchmark of the ledger", function () {
  this.timeout(120_000);

  it("loses nothing while the process and PostgreSQL are killed", async () => {
    const sizes = ["--movements", "300", "--connections", "4", "--kills", "2", "--seconds", "1", "--rounds", "1"];
    // Its exit code is that of the targets, which no test measures.
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, [main, "bench", "ledger", ...sizes], (_error, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
    expect(output).to.match(
      /movements over 4 connections .* 2 kills: 0 acknowledged movements lost, 0 differences in the ledger/,
    );
    expect(output).to.match(/transfers alone: \d+ per second/);
  });
});
