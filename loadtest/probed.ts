import { request } from "node:http";
import type { HeapProfiler, Profiler } from "node:inspector";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "#shared/kernel/ids.ts";
import type { Footprint } from "./probe.ts";
import { say } from "./report.ts";

/** A process that has been started with the environment of a probe. */
export interface Probe {
  readonly environment: Record<string, string>;
  cpuSeconds(): Promise<number>;
  /** How long the event loop was blocked at most since the last call of any function here, milliseconds. */
  blockedMs(): Promise<number>;
  /** Bytes of live objects and buffers. Collects garbage first. */
  bytes(): Promise<number>;
  /** Writes a heap snapshot. Returns its file. */
  snapshot(): Promise<string>;
  /** Prints in which functions the process spends its time. */
  printProfile(seconds: number): Promise<void>;
  /** Called twice: prints which functions have allocated what was created in between and is still used. */
  printAllocations(): Promise<void>;
}

export function makeProbe(): Probe {
  const socketPath = join(tmpdir(), `hubbub-probe-${newId()}`);
  const get = <T>(path: string) =>
    new Promise<T>((resolve, reject) => {
      request({ socketPath, path }, async (res) => {
        let text = "";
        for await (const chunk of res) text += chunk;
        resolve(JSON.parse(text) as T);
      })
        .once("error", reject)
        .end();
    });
  return {
    environment: { PROBE: socketPath, NODE_OPTIONS: `--import=${new URL("probe.ts", import.meta.url).href}` },
    cpuSeconds: async () => (await get<Footprint>("/cpu")).cpuSeconds,
    blockedMs: async () => (await get<Footprint>("/cpu")).blockedMs,
    bytes: async () => (await get<Footprint>("/memory")).bytes,
    snapshot: () => get<string>("/snapshot"),
    printProfile: async (seconds) => printProfile(await get<Profiler.Profile>(`/profile/${seconds}`)),
    printAllocations: async () => {
      const profile = await get<HeapProfiler.SamplingHeapProfile | null>("/allocations");
      if (profile) printAllocations(profile);
    },
  };
}

const shown = 30;

const placeOf = ({ functionName, url, lineNumber }: { functionName: string; url: string; lineNumber: number }) =>
  `${functionName || "(anonymous)"} ${url.replace(/^.*\/(?=[^/]+\/[^/]+$)/, "")}:${lineNumber + 1}`;

function printShares(shares: Map<string, number>, unit: (value: number) => string): void {
  const sorted = [...shares].sort(([, a], [, b]) => b - a).slice(0, shown);
  for (const [place, value] of sorted) say(`  ${unit(value).padStart(9)}  ${place}`);
}

function printProfile({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): void {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const shares = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id)!;
    if (!name.startsWith("(idle)")) shares.set(name, (shares.get(name) ?? 0) + timeDeltas[index]!);
  }
  printShares(shares, (microseconds) => `${(microseconds / 1000).toFixed(0)} ms`);
}

function printAllocations({ head }: HeapProfiler.SamplingHeapProfile): void {
  const shares = new Map<string, number>();
  const add = ({ callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode) => {
    shares.set(placeOf(callFrame), (shares.get(placeOf(callFrame)) ?? 0) + selfSize);
    for (const child of children) add(child);
  };
  add(head);
  printShares(shares, (bytes) => `${(bytes / 1024).toFixed(0)} KB`);
}
