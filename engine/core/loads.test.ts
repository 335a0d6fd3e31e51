import { expect } from "chai";
import { leastLoaded, Reports } from "./loads.ts";

describe("the process for a new actor", () => {
  const load = (processId: string, size: number, isFull = false) => ({ processId, size, isFull });
  const cases: [what: string, loads: ReturnType<typeof load>[], chosen: string | undefined][] = [
    ["has the fewest actors and people", [load("one", 12), load("two", 3), load("three", 7)], "two"],
    ["isn't full, if another one isn't", [load("one", 12), load("two", 3, true)], "one"],
    ["may be full, if all are", [load("one", 12, true), load("two", 3, true)], "two"],
    ["is missing if no process hosts actors", [], undefined],
  ];
  for (const [what, loads, chosen] of cases)
    it(what, () => {
      expect(leastLoaded(loads)?.processId).to.equal(chosen);
    });

  it("isn't one that has stopped reporting, until it reports again", () => {
    const reports = new Reports();
    const isFull = (report: object, seconds: number) =>
      reports.read("one", JSON.stringify(report), seconds * 1000).isFull;
    expect(isFull({ size: 3, reports: 1 }, 0)).to.equal(false);
    expect(isFull({ size: 3, reports: 1 }, 2)).to.equal(false);
    expect(isFull({ size: 3, reports: 1 }, 4)).to.equal(true);
    expect(isFull({ size: 3, reports: 2 }, 5)).to.equal(false);
    reports.keep([]);
    expect(isFull({ size: 3, reports: 2 }, 60)).to.equal(false);
  });
});
