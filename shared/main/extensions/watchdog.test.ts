import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { guarded, hooksSwitchedOff, runBefore, setHttpHooks } from "#shared/extension/hooks.ts";
import { blockedMaxMs, watched } from "#shared/extension/watched.ts";
import type { DomainError } from "#shared/kernel/domain-error.ts";
import { until } from "#shared/testing/until.ts";
import { startWatchdog } from "./watchdog.ts";

const module = `
  export const blockAtOnce = (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); };
  export const blockLater = async (ms) => { await null; blockAtOnce(ms); };`;
const longMs = blockedMaxMs * 1.6;

describe("the watch over extensions", () => {
  let stop: () => Promise<void>;
  const own: Record<string, { blockAtOnce(ms: number): void; blockLater(ms: number): Promise<void> }> = {};

  before("starts the thread, which watches two of three", async () => {
    const folders: Record<string, string> = {};
    for (const name of ["at_once", "later", "ours"]) {
      folders[name] = await realpath(await mkdtemp(join(tmpdir(), "hubbub-watch-")));
      await writeFile(join(folders[name], "index.mjs"), module);
      own[name] = await import(pathToFileURL(join(folders[name], "index.mjs")).href);
    }
    const { ours, ...watchedOnes } = folders;
    stop = startWatchdog(watchedOnes);
    after(() => Promise.all(Object.values(folders).map((folder) => rm(folder, { recursive: true }))));
  });
  after(async () => {
    await stop();
    setHttpHooks([]);
  });

  const codeOf = async (work: () => unknown) => {
    try {
      await work();
      return "none";
    } catch (error) {
      return (error as DomainError).code;
    }
  };

  it("switches off a whole extension that blocks after it has waited, and health names it, but no other", async () => {
    const hook = guarded({
      ...{ name: "later before operation:a", isOn: () => true, failure: "closed", run: () => undefined },
    });
    setHttpHooks([["before", "operation:a", hook]]);
    const called = () => runBefore([hook], { name: "a", caller: null, input: {} }, () => ({}));
    const route = watched("later route getTea", () => undefined);
    expect([await codeOf(route), await codeOf(called)]).to.deep.equal(["none", "none"]);

    // Neither ours, nor what is known to be a part's fault.
    await own.ours!.blockLater(longMs);
    watched("at_once route getTea", () => own.at_once!.blockAtOnce(longMs))();
    await until(
      "it is switched off",
      async () => {
        await own.later!.blockLater(longMs);
        await setImmediate();
        return hooksSwitchedOff().includes("later");
      },
      15_000,
    );
    const off = hooksSwitchedOff();
    expect(off).to.include("at_once route getTea");
    expect(off.filter((name) => ["ours", "at_once"].includes(name))).to.deep.equal([]);
    expect([await codeOf(route), await codeOf(called)]).to.deep.equal(["ENGINE_UNAVAILABLE", "ENGINE_UNAVAILABLE"]);
    expect(await codeOf(watched("at_once route getMilk", () => undefined))).to.equal("none");
  });
});
