import { expect } from "chai";
import { nearestName } from "./nearest-name.ts";

describe("nearestName", () => {
  const known = ["room:join", "room:leave", "seat:request", "__proto__"];

  it("finds what a mistyped name means", () => {
    for (const [typed, meant] of [
      ["room:joim", "room:join"],
      ["Room:Join", "room:join"],
      ["roomleave", "room:leave"],
      ["seat_request", "seat:request"],
    ] as const)
      expect(nearestName(typed, known), typed).to.equal(meant);
  });

  it("finds nothing near what is another name altogether", () => {
    for (const typed of ["", "x", "hello", "gift:send", "x".repeat(5000), "\u0000"])
      expect(nearestName(typed, known), typed).to.equal(undefined);
  });
});
