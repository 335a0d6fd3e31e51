import { readFile } from "node:fs/promises";
import { runInNewContext } from "node:vm";
import { expect } from "chai";
import manifest from "../../package.json" with { type: "json" };
import { loadConfig } from "./config.ts";
import { networkUrls } from "./http-server.ts";
import { startTable } from "./start-table.ts";

describe("the start", () => {
  const demoLogins = [{ username: "ada", password: "public" }];
  const rowOf = (host: string, url: string, logins = demoLogins) =>
    /^ {2}Network.*$/m.exec(startTable(loadConfig({ HOST: host }), { url, demoLogins: logins }))?.[0];

  it("prints the addresses for other machines, and warns if they can use the demo logins", () => {
    const warning = "WARNING: the passwords of the demo logins are public";
    const all = networkUrls("0.0.0.0", "http://localhost:3000");

    expect(rowOf("127.0.0.1", "http://127.0.0.1:3000")).to.equal(undefined);
    expect(rowOf("192.0.2.7", "http://192.0.2.7:3000"))
      .to.match(/ http:\/\/192\.0\.2\.7:3000 /)
      .and.include(warning);
    expect(rowOf("192.0.2.7", "http://192.0.2.7:3000", [])).to.match(/:3000$/);
    if (all.length > 0)
      expect(rowOf("0.0.0.0", "http://localhost:3000")).to.include(all.join("  ")).and.include(warning);
  });

  it("says how to start if npm's Node isn't installed, and the machine's is too old", async () => {
    const file = /--require (\S+)/.exec(manifest.scripts.start)![1]!;
    const code = await readFile(new URL(`../../${file}`, import.meta.url), "utf8");
    const startOn = (node: string) => {
      const printed: string[] = [];
      const exit = (status: number) => printed.push(`exit ${status}`);
      runInNewContext(code, {
        process: { versions: { node }, exit },
        console: { error: (text: string) => printed.push(text) },
      });
      return printed;
    };

    expect(startOn("24.21.0")).to.deep.equal([]);
    expect(startOn("20.20.2")).to.deep.equal([
      "Hubbub needs Node 24, and this is Node 20.20.2. Run `npm ci`, which installs it in this folder, and then `npm start`.",
      "exit 1",
    ]);
  });
});
