import { expect } from "chai";
import prompts from "./prompts.json" with { type: "json" };

const fold = (text: string) => text.trim().toLowerCase();

describe("prompts of truth or dare", () => {
  it("are truths and dares, and enough of both", () => {
    expect(prompts).to.have.all.keys("truth", "dare");
    expect(prompts.truth).to.have.length.of.at.least(110);
    expect(prompts.dare).to.have.length.of.at.least(110);
  });

  it("never say the same twice", () => {
    const all = [...prompts.truth, ...prompts.dare].map(fold);
    expect(new Set(all).size).to.equal(all.length);
  });

  it("are short lines of plain text", () => {
    for (const text of [...prompts.truth, ...prompts.dare]) {
      expect(text).to.equal(text.trim());
      expect(text.length, text).to.be.within(1, 140);
      expect(/\p{Cc}/u.test(text), text).to.equal(false);
    }
  });

  it("ask for a truth with a question, and for a dare without one", () => {
    for (const text of prompts.truth) expect(text).to.match(/\?$/);
    for (const text of prompts.dare) expect(text).to.match(/\.$/);
  });
});
