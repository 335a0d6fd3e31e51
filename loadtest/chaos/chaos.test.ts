import { expect } from "chai";
import { runProgram } from "#shared/testing/spawned-service.ts";

/** With this seed, each happens once: four in each of two rounds. */
const seed = 165;
const faults = [
  "kill -9",
  "SIGTERM",
  "redis killed",
  "redis hangs",
  "postgres killed",
  "postgres connections cut",
  "network cut",
  "network half-open",
];
/** The time in which processes must serve again is for a machine that is busy with other tests. */
const short = "--kills 8 --processes 2 --rooms 1 --people 3 --seconds 1 --longest 2 --serves-within 40";

describe("a service of two processes", function () {
  this.timeout(400_000);

  it("loses and doubles nothing while processes, servers, and networks fail", async () => {
    const options = [...short.split(" "), "--seed", `${seed}`, "--only", faults.join()];
    const { exitCode, output } = await runProgram(["loadtest/main.ts", "chaos", ...options], {});

    expect(exitCode, output).to.equal(0);
    expect(output).to.include("8 faults in a row, and nothing was noticed.");
  });
});
