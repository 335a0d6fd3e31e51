import type { VoiceActors } from "#shared/contracts/actors.ts";
import { logger } from "#shared/kernel/logger.ts";
import { syncVoiceRight } from "./sync-voice-right.ts";
import { voice, voiceConfigured } from "./voice.config.ts";
import { leaseDueGrants, takeDueWatches } from "./voice.queries.ts";
import { watchVoiceRoom } from "./watch-voice-room.ts";

/** Number of users, and of rooms, that one process works on at once. */
const syncsMax = 32;
const watchesMax = 8;

let rouse: () => void = () => {};

/** Notifies this process's worker that a change of a voice right was committed here. */
export function wakeVoiceWorker(): void {
  rouse();
}

/**
 * Starts a worker that carries voice rights to the media server and watches its rooms, alongside the workers of other
 * processes. Returns a function that stops it once its current work is done. Does nothing if the service has no voice.
 */
export function startVoiceWorker(actors: VoiceActors): () => Promise<void> {
  if (!voiceConfigured()) return async () => {};
  const worker = new VoiceWorker(actors);
  rouse = () => worker.rouse();
  const ended = worker.run();
  return async () => {
    worker.stop();
    await ended;
    rouse = () => {};
  };
}

class VoiceWorker {
  readonly #actors: VoiceActors;
  readonly #pollMs = voice().timings.pollMs;
  readonly #syncs = new Set<Promise<void>>();
  readonly #watches = new Set<Promise<void>>();
  #stopped = false;
  #roused = false;
  #endPause: () => void = () => {};

  constructor(actors: VoiceActors) {
    this.#actors = actors;
  }

  rouse(): void {
    this.#roused = true;
    this.#endPause();
  }

  stop(): void {
    this.#stopped = true;
    this.rouse();
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      this.#roused = false;
      try {
        await this.#takeWork();
      } catch (error) {
        logger.error({ err: error }, "voice worker could not take work");
      }
      if (!this.#roused) await this.#pause();
    }
    await Promise.all([...this.#syncs, ...this.#watches]);
  }

  /** Starts as much of the due work as there is capacity for. Each piece that ends frees capacity and looks again. */
  async #takeWork(): Promise<void> {
    const syncs = syncsMax - this.#syncs.size;
    if (syncs > 0)
      for (const grant of await leaseDueGrants(syncs))
        this.#track(this.#syncs, syncVoiceRight(this.#actors, grant), syncsMax);
    const watches = watchesMax - this.#watches.size;
    if (watches > 0)
      for (const roomId of await takeDueWatches(watches)) this.#track(this.#watches, this.#watch(roomId), watchesMax);
  }

  async #watch(roomId: string): Promise<void> {
    if (await watchVoiceRoom(this.#actors, roomId)) this.rouse();
  }

  #track(running: Set<Promise<void>>, work: Promise<void>, most: number): void {
    const tracked = work
      .catch((error: unknown) => logger.error({ err: error }, "voice worker failed"))
      .finally(() => {
        const wasFull = running.size === most;
        running.delete(tracked);
        if (wasFull) this.rouse();
      });
    running.add(tracked);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#pollMs);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
