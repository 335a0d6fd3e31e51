import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { printTable, say, type Verdict, verdictsVariable } from "./report.ts";

/** What is measured, in this order. The ones that seed large databases come last. */
const benchmarks = [
  "start",
  "reads",
  "logins",
  "logins --way google",
  "catalogue",
  "fanout",
  "fanout --rate 150",
  "fanout --clients 1000 --rate 20",
  "fanout --door colyseus",
  "fanout-many",
  "bus",
  "fanout-rules",
  "hooks",
  "gift",
  "gift --connections 128",
  "purchases",
  "relay",
  "relay-many",
  "ledger",
  "games",
  "join-storm",
  "idle",
  "rooms --rooms 10000",
  "fairness",
  "lists",
  "admin",
  "settle",
] as const;

interface Row extends Verdict {
  readonly benchmark: string;
}

/**
 * Runs all benchmarks, one after the other, and prints each result beside its target. What they print goes to a file.
 * Fails if a target is missed, or a benchmark fails.
 */
export async function bench({ only }: { only?: string }): Promise<void> {
  const chosen = benchmarks.filter((one) => !only || only.split(",").includes(one.split(" ")[0]!));
  const log = join(tmpdir(), "hubbub-bench.log");
  const output = createWriteStream(log);
  const folder = await mkdtemp(join(tmpdir(), "hubbub-verdicts-"));
  const [{ model } = { model: "unknown" }] = cpus();
  say(`${cpus().length} × ${model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Node.js ${process.version}`);
  say(`What the benchmarks print is in ${log}.`);

  const rows: Row[] = [];
  for (const [index, benchmark] of chosen.entries()) {
    const startedMs = performance.now();
    const found = await run(benchmark, join(folder, String(index)), output);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
    say(`${index + 1} of ${chosen.length}  ${benchmark}  ${seconds} s`);
    rows.push(...found.map((verdict) => ({ benchmark, ...verdict })));
  }
  await rm(folder, { recursive: true });
  output.end();

  printTable(rows.map(({ benchmark, text, holds }) => ({ benchmark, result: text, kept: holds ? "yes" : "no" })));
  if (rows.some(({ holds }) => !holds)) process.exitCode = 1;
}

/** Runs a benchmark in a process of its own, so that none finds the memory of another warm. Returns its results. */
async function run(benchmark: string, file: string, output: NodeJS.WritableStream): Promise<Verdict[]> {
  await writeFile(file, "");
  const main = new URL("main.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [main, "bench", ...benchmark.split(" ")], {
    env: { ...process.env, [verdictsVariable]: file },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const [code] = (await once(child, "close")) as [number | null];
  const verdicts = (await readFile(file, "utf8"))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Verdict);
  const isToldWhy = code === 0 || verdicts.some(({ holds }) => !holds);
  return isToldWhy ? verdicts : [...verdicts, { text: `the benchmark failed with code ${code}`, holds: false }];
}
