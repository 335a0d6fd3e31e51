import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

describe("the benchmark of a table that is divided", function () {
  this.timeout(120_000);

  it("divides a small one while messages are sent, and counts them all", async () => {
    // Its exit code is that of the targets, of which a test measures no times.
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, [main, "bench", "divide", "--rows", "2000"], (_error, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
    expect(output).to.match(/2000 direct messages divided in [\d.]+ s, while \d+ were sent/);
    expect(output).to.match(/locked for \d+ ms/);
    expect(output).to.match(/^ {2}nothing was copied or lost$/m);
  });
});
