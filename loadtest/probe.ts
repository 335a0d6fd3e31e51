import { rmSync } from "node:fs";
import { createServer } from "node:http";
import { type HeapProfiler, type Profiler, Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { writeHeapSnapshot } from "node:v8";
import { isMainThread } from "node:worker_threads";

/**
 * Loaded into a measured process before its program: responds on the Unix socket `PROBE` with the CPU time and memory
 * of the process, and with CPU profiles.
 */

export interface Footprint {
  /** CPU time of the process since its start, seconds. */
  readonly cpuSeconds: number;
  /** Bytes of live objects and buffers, after a garbage collection. */
  readonly bytes: number;
  /** How long the event loop was blocked at most since the last call, milliseconds. */
  readonly blockedMs: number;
}

const session = new Session();

const delays = monitorEventLoopDelay({ resolution: 5 });

/** Collects until nothing more goes, as before a heap snapshot: weak references, and code that has not run lately. */
const collectGarbage = () => session.post("HeapProfiler.collectGarbage");

async function footprint({ collect }: { collect: boolean }): Promise<Footprint> {
  const { user, system } = process.cpuUsage();
  if (collect) await collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  const blockedMs = delays.max / 1e6;
  delays.reset();
  return { cpuSeconds: (user + system) / 1e6, bytes: heapUsed + external, blockedMs };
}

/** Records what the process does for a time. */
async function profile(seconds: number): Promise<Profiler.Profile> {
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 200 });
  await session.post("Profiler.start");
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return (await session.post("Profiler.stop")).profile;
}

/** Records who allocates what stays, between two calls. */
async function allocations(): Promise<HeapProfiler.SamplingHeapProfile | undefined> {
  if (!sampling) {
    sampling = true;
    await session.post("HeapProfiler.startSampling", { samplingInterval: 4096 });
    return undefined;
  }
  await collectGarbage();
  sampling = false;
  return (await session.post("HeapProfiler.stopSampling")).profile;
}

let sampling = false;

if (isMainThread && process.env.PROBE) {
  session.connect();
  delays.enable();
  // A killed predecessor leaves it.
  rmSync(process.env.PROBE, { force: true });
  createServer(async (req, res) => {
    const [, what, amount] = req.url!.split("/");
    if (what === "profile") res.end(JSON.stringify(await profile(Number(amount))));
    else if (what === "snapshot")
      res.end(JSON.stringify(writeHeapSnapshot(join(tmpdir(), `hubbub-heap-${process.pid}-${Date.now()}`))));
    else if (what === "allocations") res.end(JSON.stringify((await allocations()) ?? null));
    else res.end(JSON.stringify(await footprint({ collect: what === "memory" })));
  })
    .listen(process.env.PROBE)
    .unref();
  // A child would listen in its place, and remove the socket with its end.
  delete process.env.PROBE;
}
