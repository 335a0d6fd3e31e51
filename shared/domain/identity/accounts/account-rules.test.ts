import { dictionary } from "@zxcvbn-ts/language-common";
import { expect } from "chai";
import { fullYears, isCalendarDay } from "./age.ts";
import { passwordProblem } from "./password-policy.ts";
import { isReservedUsername } from "./reserved-usernames.ts";

describe("age", () => {
  for (const [born, on, years] of [
    ["2013-05-10", "2026-05-09", 12],
    ["2013-05-10", "2026-05-10", 13],
    ["2013-05-10", "2026-12-01", 13],
    ["2013-12-31", "2026-01-01", 12],
    ["2012-02-29", "2025-02-28", 12],
    ["2012-02-29", "2025-03-01", 13],
    ["2012-02-29", "2028-02-29", 16],
    ["2026-01-01", "2026-01-01", 0],
  ] as const)
    it(`of ${born} on ${on} is ${years}`, () => expect(fullYears(born, on)).to.equal(years));

  it("knows calendar days", () => {
    expect(["2024-02-29", "2000-02-29", "1999-12-31"].every(isCalendarDay)).to.equal(true);
    expect(
      ["2023-02-29", "1900-02-29", "2024-13-01", "2024-00-10", "2024-04-31", "0000-00-00"].some(isCalendarDay),
    ).to.equal(false);
  });
});

describe("password policy", () => {
  const owner = { username: "ada.lovelace", email: "countess@example.com" };

  it("refuses the 3,000 most common passwords that are long enough, whatever is appended", () => {
    const long = dictionary["passwords-common"].filter(({ length }) => length >= 8).slice(0, 3000);
    expect(long).to.have.length(3000);
    const words = long.filter((word) => /[a-z]$/.test(word));
    const tried = [...long, ...long.map((word) => word.toUpperCase()), ...words.map((word) => `${word}2026!`)];
    const accepted = tried.filter((password) => passwordProblem(password, owner) === undefined);
    expect(accepted).to.deep.equal([]);
  });

  for (const bad of [
    "password",
    "Password123!",
    "QWERTYUIOP",
    "iloveyou2026",
    "12345678",
    "aaaaaaaa",
    "abababab",
    "adminadmin",
    "31121999",
    "9876543210",
    "JaiShreeRam1",
  ])
    it(`refuses ${bad}`, () => expect(passwordProblem(bad, owner)).to.be.a("string"));

  for (const bad of ["ada.lovelace", "Countess", "COUNTESS@example.com"])
    it(`refuses the owner's ${bad}`, () => expect(passwordProblem(bad, owner)).to.match(/username or email/));

  for (const good of [
    "correct horse battery",
    "tr0ub4dor&3x",
    "пароль не для всех",
    "mangoes are blue",
    "8413 5501 2277 9036",
  ])
    it(`takes ${good}`, () => expect(passwordProblem(good, owner)).to.equal(undefined));
});

describe("reserved usernames", () => {
  it("hold with dots and underscores between", () => {
    expect(["admin", "a.d_min", "hubbub", "__support__"].every(isReservedUsername)).to.equal(true);
    expect(["ada", "adminton", "helper.bee"].some(isReservedUsername)).to.equal(false);
  });
});
