/** A message that a load test has sent and that was acknowledged. */
export interface Acknowledged {
  /** Unique over all workers. */
  readonly number: number;
  readonly room: string;
  readonly sentMs: number;
  readonly acknowledgedMs: number;
}

/** Who heard which messages, in this order. */
export interface Heard {
  readonly listener: string;
  readonly room: string;
  readonly numbers: readonly number[];
}

/** Returns a number that no other worker uses. */
export const messageNumber = (worker: number, count: number): number => worker * 1e9 + count;
const shown = (number: number): string => `message ${Math.floor(number / 1e9)}.${number % 1e9}`;

/**
 * Returns what listeners have heard twice, and what they have heard in another order than the one who has heard the
 * most.
 */
export function orderViolations(heard: readonly Heard[]): string[] {
  const rooms = Map.groupBy(heard, ({ room }) => room);
  return [...rooms.values()].flatMap((listeners) => {
    const model = listeners.reduce((best, one) => (one.numbers.length > best.numbers.length ? one : best));
    const places = new Map(model.numbers.map((number, index) => [number, index]));
    return listeners.flatMap((one) => disorderOf(one, model, places) ?? []);
  });
}

/** Returns the first fault of a listener. */
function disorderOf(
  { listener, room, numbers }: Heard,
  model: Heard,
  places: ReadonlyMap<number, number>,
): string | undefined {
  const seen = new Set<number>();
  let last: number | undefined;
  for (const number of numbers) {
    if (seen.has(number)) return `${listener} heard ${shown(number)} of ${room} twice`;
    seen.add(number);
    const place = places.get(number);
    if (place === undefined) continue;
    if (last !== undefined && place < places.get(last)!)
      return `${listener} heard ${shown(number)} of ${room} after ${shown(last)}, ${model.listener} before it`;
    last = number;
  }
  return undefined;
}

/** Returns who has not heard what was acknowledged. */
export function lostViolations(heard: readonly Heard[], acknowledged: readonly Acknowledged[]): string[] {
  const rooms = Map.groupBy(acknowledged, ({ room }) => room);
  return heard.flatMap(({ listener, room, numbers }) => {
    const own = new Set(numbers);
    const lost = (rooms.get(room) ?? []).filter(({ number }) => !own.has(number));
    if (lost.length === 0) return [];
    return `${listener} didn't hear ${shown(lost[0]!.number)} of ${room}, which was acknowledged (${lost.length} lost)`;
  });
}

/**
 * Returns messages that come after one that was sent only when they were acknowledged. Times must be of one process.
 */
export function lateViolations({ room, numbers }: Heard, acknowledged: readonly Acknowledged[]): string[] {
  const times = new Map(acknowledged.filter((one) => one.room === room).map((one) => [one.number, one]));
  let earliest: Acknowledged | undefined;
  for (const number of numbers.toReversed()) {
    const one = times.get(number);
    if (!one) continue;
    if (earliest && earliest.acknowledgedMs < one.sentMs)
      return [
        `${shown(earliest.number)} of ${room} was acknowledged before ${shown(number)} was sent, but comes after it`,
      ];
    if (!earliest || one.acknowledgedMs < earliest.acknowledgedMs) earliest = one;
  }
  return [];
}
