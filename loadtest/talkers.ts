import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import * as hdr from "hdr-histogram-js";
import { connectAll } from "./raw-client.ts";
import type { Person } from "./service.ts";

/** Who talks, where, and how many messages they send per second together. */
interface Talk {
  readonly url: string;
  readonly people: readonly Person[];
  readonly roomId: string;
  readonly rate: number;
}

/** The times until messages were acknowledged, in milliseconds. */
export interface Delays {
  readonly p50: number;
  readonly p99: number;
}

export interface Talkers {
  start(): void;
  /** Waits until all messages are acknowledged. */
  stop(): Promise<Delays>;
}

/**
 * Has people join a room, who then send messages at a constant rate. They have a thread of their own: in that of a crowd, answers
 * would wait until the crowd has read what it receives.
 */
export async function connectTalkers(talk: Talk): Promise<Talkers> {
  const worker = new Worker(new URL(import.meta.url), { workerData: talk });
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

async function run({ url, people, roomId, rate }: Talk, port: NonNullable<typeof parentPort>): Promise<void> {
  const clients = await connectAll(
    url,
    people.map(({ token }) => ({ token })),
  );
  for (const client of clients) await client.emit("room:join", { room_id: roomId });
  const talking = new AbortController();
  const started = once(port, "message");
  port.postMessage("ready");
  await started;
  port.once("message", () => talking.abort());

  const delays = hdr.build();
  const answers: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let sent = 0; !talking.signal.aborted; sent += 1) {
    const dueMs = startedMs + (sent * 1000) / rate;
    if (dueMs > performance.now()) await pause(dueMs - performance.now());
    const sending = clients[sent % clients.length]!.emit("room:message", { room_id: roomId, body: "good evening" });
    answers.push(sending.then(() => delays.recordValue(Math.max(0, performance.now() - dueMs) * 100)));
  }
  await Promise.all(answers);
  const at = (percentile: number) => delays.getValueAtPercentile(percentile) / 100;
  port.postMessage({ p50: at(50), p99: at(99) } satisfies Delays);
}

if (!isMainThread && parentPort) await run(workerData as Talk, parentPort);
