import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judge, median, printTable } from "./report.ts";
import { runCommand, startProcess, stopProcess } from "./service.ts";

/** Seconds. */
const most = { "an empty data folder": 3.5, "the same folder again": 1.5 };

/** Measures how long the service takes until it is ready, with an empty data folder, and with the same folder again. */
export async function start({ rounds }: { rounds: number }): Promise<void> {
  // As `npm ci` does.
  await runCommand(["shared/main/make-bundle.ts"], {});
  const rows: Record<keyof typeof most, number>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const folder = await mkdtemp(join(tmpdir(), "hubbub-start-"));
    rows.push({ "an empty data folder": await startIn(folder), "the same folder again": await startIn(folder) });
    await rm(folder, { recursive: true, force: true });
  }
  for (const [folder, limit] of Object.entries(most) as [keyof typeof most, number][]) {
    const seconds = rows.map((row) => row[folder]);
    printTable(seconds.map((each, index) => ({ [folder]: index + 1, "seconds until ready": each.toFixed(2) })));
    const taken = median(seconds);
    judge(`ready with ${folder} after ${taken.toFixed(2)} s (target: at most ${limit})`, taken <= limit);
  }
}

async function startIn(folder: string): Promise<number> {
  // As `npm start` sets it.
  const cache = { NODE_COMPILE_CACHE: "node_modules/.cache/compile" };
  const environment = { DATA_DIR: folder, PORT: "0", HOST: "127.0.0.1", NODE_ENV: "development", ...cache };
  const startedMs = performance.now();
  const { child } = await startProcess(["main.ts", "start"], environment, /"url":"([^"]+)","msg":"ready"/);
  const tookMs = performance.now() - startedMs;
  await stopProcess(child);
  return tookMs / 1000;
}
