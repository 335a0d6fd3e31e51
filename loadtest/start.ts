import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, printTable, say } from "./report.ts";
import { startProcess, stopProcess } from "./service.ts";

/** Measures how long the service takes from its start with an empty data folder until it is ready. */
export async function start({ rounds }: { rounds: number }): Promise<void> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) seconds.push(await startOnce());
  printTable(seconds.map((each, index) => ({ start: index + 1, "seconds until ready": each.toFixed(2) })));
  say(`Median: ${median(seconds).toFixed(2)} s (target: at most 5).`);
}

async function startOnce(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "hubbub-start-"));
  const environment = { DATA_DIR: folder, PORT: "0", HOST: "127.0.0.1", NODE_ENV: "development" };
  const startedMs = performance.now();
  const { child } = await startProcess(["main.ts", "start"], environment, /"url":"([^"]+)","msg":"ready"/);
  const tookMs = performance.now() - startedMs;
  await stopProcess(child);
  await rm(folder, { recursive: true, force: true });
  return tookMs / 1000;
}
