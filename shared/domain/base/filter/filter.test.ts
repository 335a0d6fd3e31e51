import { expect } from "chai";
import type { RuleTrigger } from "#shared/contracts/views.ts";
import { compileRules, type Rule } from "./compile-rules.ts";
import { normalise } from "./normalise.ts";

const ruleOf = (trigger: RuleTrigger, scope: Rule["scope"] = { kind: "service" }): Rule => ({
  id: JSON.stringify(trigger),
  version: 1,
  name: "Rule",
  scope,
  trigger,
  action: { kind: "mask", text: "Please stay friendly." },
});
const words = (...sought: string[]): Rule => ruleOf({ kind: "words", words: sought, allow: [] });
const found = (rules: readonly Rule[], text: string, where = {}) =>
  compileRules(rules)
    .find(text, where)
    .map(({ from, to }) => text.slice(from, to));

describe("rules about texts", () => {
  it("find words and phrases, whole, with their beginnings, their ends, or any part", () => {
    const rules = [words("moron", "go away", "idiot*", "*hole", "*trash*")];
    expect(found(rules, "You moron.")).to.deep.equal(["moron"]);
    expect(found(rules, "MORONS are morons")).to.deep.equal([]);
    expect(found(rules, "now GO   away!")).to.deep.equal(["GO   away"]);
    expect(found(rules, "idiotic, idiots")).to.deep.equal(["idiot", "idiot"]);
    expect(found(rules, "a pothole, holes")).to.deep.equal(["hole"]);
    expect(found(rules, "untrashed")).to.deep.equal(["trash"]);
  });

  it("see through disguises, and mask what was written", () => {
    const rules = [words("moron")];
    for (const text of [
      "MORON",
      "mörón",
      "ｍｏｒｏｎ",
      "m0r0n",
      "mooooron",
      "m.o.r.o.n",
      "m o r o n",
      "mo-ron",
      "mo\u200bron",
      "mоrоn",
      "𝐦𝐨𝐫𝐨𝐧",
      "ᴍᴏʀᴏɴ",
      "🅼🅾🆁🅾🅽",
      "m\u20ddoron",
      "m o-r_o n",
    ])
      expect(found(rules, `you ${text} there`), text).to.deep.equal([text]);
  });

  it("see through them in phrases, and in scripts with vowel signs", () => {
    const rules = [words("get lost now", "चूतिया")];
    for (const text of [
      "get l.o.s.t now",
      "g-et lost n-ow",
      "get l o s t now",
      "g.e.t l.o.s.t n.o.w",
      "चू ति या",
      "चू.ति.या",
    ])
      expect(found(rules, `you ${text} there`).slice(0, 1), text).to.deep.equal([text]);
    expect(found(rules, "get it, I've lost, don't you, now")).to.deep.equal([]);
  });

  it("tell numbers, other words, and fewer letters apart", () => {
    expect(found([words("ass")], "as 455 or 4,5,5 glass as")).to.deep.equal([]);
    expect(found([words("ass")], "a55, asss")).to.deep.equal(["a55", "asss"]);
    expect(found([words("ill")], "illness, I'll")).to.deep.equal(["I'll"]);
    expect(found([words("bad")], "not b! ad")).to.deep.equal([]);
  });

  it("leave allowed words alone", () => {
    const rule = ruleOf({ kind: "words", words: ["*cunt*"], allow: ["Scunthorpe"] });
    expect(found([rule], "Scunthorpe, SCUNTHORPE, scunt")).to.deep.equal(["cunt"]);
  });

  it("know the scripts of the six languages", () => {
    expect(found([words("बेवकूफ़")], "तुम बेवकूफ़ हो")).to.deep.equal(["बेवकूफ़"]);
    expect(found([words("غبي")], "أنت غَبِيّ جدا")).to.have.length(1);
    expect(found([words("estúpido")], "ESTUPIDO")).to.deep.equal(["ESTUPIDO"]);
    expect(found([words("की")], "का")).to.deep.equal([]);
  });

  it("run patterns in linear time, in their scope only", () => {
    const pattern = ruleOf({ kind: "patterns", patterns: ["win \\d+ coins", "(a+)+$"] });
    expect(found([pattern], "WIN 500 coins now")).to.deep.equal(["WIN 500 coins"]);
    const began = performance.now();
    found([pattern], `${"a".repeat(1000)}b`);
    expect(performance.now() - began).to.be.below(1000);
    const inRoom = ruleOf({ kind: "words", words: ["late"], allow: [] }, { kind: "room", room_id: "r" });
    const inMusic = ruleOf({ kind: "words", words: ["loud"], allow: [] }, { kind: "category", category: "music" });
    expect(found([inRoom, inMusic], "late and loud")).to.deep.equal([]);
    expect(found([inRoom, inMusic], "late and loud", { roomId: "r", category: "music" })).to.deep.equal([
      "late",
      "loud",
    ]);
    const inIndia = compileRules([
      ruleOf({ kind: "words", words: ["local"], allow: [] }, { kind: "country", country: "IN" }),
    ]);
    const from = (country?: string | null) =>
      inIndia.find("a local word", { ...(country !== undefined && { country }) });
    expect([from("IN"), from("BR"), from(null), from()].map((all) => all.length)).to.deep.equal([1, 0, 0, 0]);
    expect([inIndia, compileRules([inRoom])].map(({ askForCountry }) => askForCountry)).to.deep.equal([true, false]);
  });

  it("see through characters that are invisible, wide, of other digits, or longer in lower case in patterns", () => {
    const pattern = ruleOf({ kind: "patterns", patterns: ["call \\d{5}"] });
    for (const text of [
      "CALL 12345",
      "call\u200b 12345",
      "ｃａｌｌ １２３４５",
      "call १२३४५",
      "call ١٢٣٤٥",
      "call 𝟏𝟐𝟑𝟒𝟓",
    ])
      expect(found([pattern], `İİİİİİİİ ${text} 🔥 now`), text).to.deep.equal([text]);
    expect(found([pattern], "call 1234 5")).to.deep.equal([]);
    const links = ruleOf({ kind: "links", allow: ["example.org"] });
    for (const text of ["evil.com", "evil․com", "EVIL。COM", "ｅｖｉｌ．ｃｏｍ", "evil\u200b.com"])
      expect(found([links], `see ${text}`), text).to.have.length(1);
    expect(found([links], "see example.org. 12。5")).to.deep.equal([]);
  });

  it("remember what people wrote while other rules change", () => {
    const repeats = ruleOf({ kind: "repeats", times: 2, seconds: 60 });
    const first = compileRules([repeats]);
    const heard = (rules: ReturnType<typeof compileRules>, userId: string) => rules.find("Buy", { userId }).length;
    expect(heard(first, "ada")).to.equal(0);
    expect(heard(compileRules([repeats, words("moron")], first), "ada")).to.equal(1);
    expect(heard(compileRules([{ ...repeats, version: 2 }], first), "ada")).to.equal(0);
  });

  it("compare texts of any characters", () => {
    for (const text of ["", " ", "\u0000", "🔥".repeat(500), "\u0301\u0302", "\ud800", "ﷺ", "ß".repeat(1000)]) {
      const { text: plain, runs, from, to } = normalise(text);
      expect([runs.length, from.length, to.length], JSON.stringify(text)).to.deep.equal([
        plain.length,
        plain.length,
        plain.length,
      ]);
    }
  });
});
