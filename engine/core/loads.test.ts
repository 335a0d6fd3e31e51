import { expect } from "chai";
import { leastLoaded } from "./loads.ts";

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
});
