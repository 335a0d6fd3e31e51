import { clock } from "#shared/kernel/clock.ts";

/** Lets a test move the service's clock forward, and stop it. Resets it after each test. */
export function useClock() {
  // Not the clock as it is now: a test that timed out may have left another one.
  const real = () => Date.now();
  let offsetMs = 0;
  beforeEach(() => {
    offsetMs = 0;
    clock.now = () => real() + offsetMs;
  });
  afterEach(() => {
    clock.now = real;
  });
  return {
    forward: (byMs: number): void => {
      offsetMs += byMs;
    },
    /** From now on, it moves only as it is told to. */
    stop: (): void => {
      const stoppedMs = real();
      clock.now = () => stoppedMs + offsetMs;
    },
  };
}
