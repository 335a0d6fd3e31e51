import { expect } from "chai";
import { v7, version } from "uuid";
import { isId, newId, newIdAfter, timeOfId } from "./ids.ts";

describe("newId", () => {
  it("returns UUIDs of version 7 that sort in the order in which they were created, however many at a time", () => {
    const startedMs = Date.now();
    const ids = Array.from({ length: 20_000 }, newId);
    expect(ids.every((id) => isId(id) && version(id) === 7)).to.equal(true);
    expect(new Set(ids).size).to.equal(ids.length);
    expect([...ids].sort()).to.deep.equal(ids);
    expect(timeOfId(ids[0]!)).to.be.within(startedMs, startedMs + 1000);
  });
});

describe("newIdAfter", () => {
  it("sorts after the previous ID even if its clock was ahead", () => {
    const ahead = v7({ msecs: Date.now() + 60_000 });
    let previous = ahead;
    for (let count = 0; count < 100; count += 1) {
      const id = newIdAfter(previous);
      expect(isId(id) && id > previous, `${id} after ${previous}`).to.equal(true);
      previous = id;
    }
  });

  it("returns an ordinary new ID otherwise", () => {
    const before = newId();
    for (const id of [newIdAfter(null), newIdAfter(before)]) expect(id > before && id < newId()).to.equal(true);
  });
});
