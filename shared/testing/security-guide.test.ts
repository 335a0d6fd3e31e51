import { globSync, readFileSync } from "node:fs";
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

  it("names one test file for each attack that was tried", () => {
    const [, attacks = ""] = /## Attacks tried\n(.+?)\n## /s.exec(read("docs/security.md")) ?? [];
    const names = [...attacks.matchAll(/ \| `([\w./-]+)` \|$/gm)].map(([, name]) => `/${name}.test.ts`);
    const files = globSync("{api,engine,shared}/**/*.test.ts", { cwd: new URL("../..", import.meta.url) });
    const wrong = names.filter((name) => files.filter((file) => `/${file}`.endsWith(name)).length !== 1);

    expect(names).to.have.length(attacks.split("\n").filter((line) => line.startsWith("| ")).length - 1);
    expect(names).to.have.length.greaterThan(40);
    expect(wrong).to.deep.equal([]);
  });
});
