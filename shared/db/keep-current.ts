import { setTimeout as pause } from "node:timers/promises";
import { limitFunction } from "p-limit";
import { logger } from "#shared/kernel/logger.ts";
import { areSignalsStopped, onSignal, onSignalsConnected, type SignalName, type Signals } from "./signals.ts";

/** How long after a read that failed the next one begins, milliseconds. */
const retryMs = 500;

/**
 * Keeps what this process remembers of the database current: `load` reads it when signals begin, and at each signal of
 * this name, then with its payload. It runs once at a time, so that an older result never overwrites a newer, and again
 * until it succeeds: there may be no other signal for days, and until then the process would follow what no longer
 * holds. Returns what reads it now, in the same order. @throws what `load` throws
 */
export function keepCurrent<S extends SignalName>(
  name: S,
  load: (payload?: Signals[S]) => Promise<void>,
): (payload?: Signals[S]) => Promise<void> {
  const inTurn = limitFunction(load, { concurrency: 1 });
  onSignalsConnected(() => inTurn());
  onSignal(name, (payload) => void untilLoaded(name, () => inTurn(payload)));
  return inTurn;
}

async function untilLoaded(signal: SignalName, load: () => Promise<void>): Promise<void> {
  while (!areSignalsStopped()) {
    try {
      return await load();
    } catch (error) {
      logger.error({ err: error, signal }, "what has changed could not be read; it is read again");
    }
    await pause(retryMs, undefined, { ref: false });
  }
}
