import { expect } from "chai";
import { runProgram } from "#shared/testing/spawned-service.ts";

/** With this seed, every kind of fault happens, in seven rounds. */
const seed = 744;
const kills = 30;
/** The time in which processes must serve again is for a machine that is busy with other tests. */
const short = "--processes 2 --rooms 1 --people 3 --per-round 6 --seconds 1 --longest 2 --serves-within 40";

describe("a service of two processes", function () {
  this.timeout(400_000);

  it("loses and doubles nothing while processes, servers, disks, clocks, and networks fail", async () => {
    const options = ["--kills", `${kills}`, "--seed", `${seed}`, ...short.split(" ")];
    const { exitCode, output } = await runProgram(["loadtest/main.ts", "chaos", ...options], {});

    expect(exitCode, output).to.equal(0);
    expect(output).to.include(`${kills} faults in a row, and nothing was noticed.`);
  });
});
