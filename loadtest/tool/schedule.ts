/** How the load changes in time. */
export interface Profile {
  /** Arrivals per second. */
  readonly rate: number;
  /** Seconds in which the rate rises from zero, before `seconds`. */
  readonly ramp: number;
  readonly seconds: number;
  /** Shares of the rate in equal parts of the time, such as the hours of a day. */
  readonly day?: readonly number[] | undefined;
}

const stepSeconds = 0.005;

/** Returns the rate at a moment, arrivals per second. */
function rateAt({ rate, ramp, seconds, day }: Profile, at: number): number {
  if (at < ramp) return (rate * at) / ramp;
  const part = day?.[Math.min(day.length - 1, Math.floor(((at - ramp) / seconds) * day.length))] ?? 1;
  return rate * part;
}

/** Returns when each arrival is due, seconds after the start. The service has no influence on it. */
export function* dueSeconds(profile: Profile): Generator<number> {
  let owed = 1; // The first comes at once.
  for (let step = 0; step * stepSeconds < profile.ramp + profile.seconds; step += 1) {
    const at = step * stepSeconds;
    const rate = rateAt(profile, at + stepSeconds / 2);
    const before = owed;
    owed += rate * stepSeconds;
    for (let next = 1; next <= Math.floor(owed); next += 1) yield at + Math.max(0, (next - before) / rate);
    owed -= Math.floor(owed);
  }
}
