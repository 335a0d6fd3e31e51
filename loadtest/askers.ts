import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import * as hdr from "hdr-histogram-js";
import { connectAll, type RawClient } from "./raw-client.ts";
import type { Person } from "./service.ts";
import { untilDue } from "./until-due.ts";

interface Ask {
  readonly event: string;
  readonly payload: object;
}

/** Who asks for what, and how often. */
interface Asking {
  readonly url: string;
  readonly people: readonly Person[];
  /** What each asks for first. */
  readonly first?: Ask;
  /** One of these is asked for each time, at random. */
  readonly asks: readonly Ask[];
  /** Per second, by all of them together. */
  readonly rate: number;
}

/** The times until they were answered, in milliseconds. */
export interface Delays {
  readonly p50: number;
  readonly p99: number;
}

export interface Askers {
  start(): void;
  /** Waits until all are answered. @throws if one was refused */
  stop(): Promise<Delays>;
}

/**
 * Connects people who then ask at a constant rate, independent of answers. They have a thread of their own: in that of
 * a crowd, answers would wait until the crowd has read what it receives.
 */
export async function connectAskers(asking: Asking): Promise<Askers> {
  const worker = new Worker(new URL(import.meta.url), { workerData: asking });
  await once(worker, "message");
  return {
    start: () => worker.postMessage("start"),
    async stop() {
      worker.postMessage("stop");
      const [delays] = (await once(worker, "message")) as [Delays];
      await worker.terminate();
      return delays;
    },
  };
}

/** @throws what the service answers, unless it succeeds */
export async function askFor(client: RawClient, { event, payload }: Ask): Promise<void> {
  const answer = await client.emit(event, payload);
  if (!answer.startsWith('{"success":true')) throw new Error(answer);
}

async function run({ url, people, first, asks, rate }: Asking, port: NonNullable<typeof parentPort>): Promise<void> {
  const clients = await connectAll(
    url,
    people.map(({ token }) => ({ token })),
  );
  if (first) for (const client of clients) await askFor(client, first);
  const isOver = new AbortController();
  const started = once(port, "message");
  port.postMessage("ready");
  await started;
  port.once("message", () => isOver.abort());

  const delays = hdr.build();
  const answers: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let sent = 0; !isOver.signal.aborted; sent += 1) {
    const dueMs = startedMs + (sent * 1000) / rate;
    await untilDue(dueMs);
    const asked = askFor(clients[sent % clients.length]!, asks[Math.floor(Math.random() * asks.length)]!);
    answers.push(asked.then(() => delays.recordValue(Math.max(0, performance.now() - dueMs) * 100)));
  }
  await Promise.all(answers);
  const at = (percentile: number) => delays.getValueAtPercentile(percentile) / 100;
  port.postMessage({ p50: at(50), p99: at(99) } satisfies Delays);
}

if (!isMainThread && parentPort) await run(workerData as Asking, parentPort);
