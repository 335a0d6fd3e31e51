import { clock } from "#shared/kernel/clock.ts";

/** Lets a test move the service's clock forward. Resets it after each test. */
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
  };
}
