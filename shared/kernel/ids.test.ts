import { expect } from "chai";
import { v7 } from "uuid";
import { isId, newId, newIdAfter } from "./ids.ts";

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
