import { framesMax } from "#shared/contracts/client-events.ts";
import type { RawConnection } from "../core/transport.ts";
import { engine } from "../engine.ts";

/** Returns a function that counts a frame of a connection, and cuts the connection at one too many in a second. */
export function frameLimit(cut: () => void): () => void {
  let frames = 0;
  let sinceMs = performance.now();
  return () => {
    frames += 1;
    if (frames <= framesMax) return;
    const now = performance.now();
    if (now - sinceMs >= 1000) {
      frames = 0;
      sinceMs = now;
    } else if (frames === framesMax + 1 && engine().rateLimits) cut();
  };
}

/** Counts the frames that `ws` answers by itself. */
export function limitControls(raw: RawConnection, count: () => void): void {
  for (const frame of ["ping", "pong"] as const) raw.on(frame, count);
}
