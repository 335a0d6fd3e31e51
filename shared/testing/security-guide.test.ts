import { readFileSync } from "node:fs";
import { expect } from "chai";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

describe("the security guide", () => {
  const [, section = ""] = /## What leaves the service\n(.+?)\n## /s.exec(read("docs/security.md")) ?? [];
  const rows = section.split("\n").filter((line) => /^\| (?!value )[^-]/.test(line));

  it("names a test for everything of value that leaves the service", () => {
    const missing = rows.flatMap((row) => {
      const [, path = "", names = ""] = /`([^`]+\.test\.ts)`: (.+) \|$/.exec(row) ?? [];
      const tests = [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => name!);
      const source = path && read(path);
      const unknown = tests.filter((name) => !source.includes(`it("${name}"`));
      return tests.length === 0 ? [row] : unknown.map((name) => `${path} has no test "${name}"`);
    });

    expect(rows).to.have.length.greaterThan(15);
    expect(missing).to.deep.equal([]);
  });
});
