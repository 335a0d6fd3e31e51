import type { RoomData } from "./room-data.ts";

/** So many members are named to the others: who comes and goes, and how they look. Further ones are only counted. */
export const namedMax = 300;

/**
 * The members of a large room who are only counted, in the order in which they joined. Those who run the room or have
 * had a seat are never among them. If everyone heard of everyone, n joins would be n² events.
 */
export class Crowd {
  readonly #counted = new Set<string>();
  #joined = 0;
  #left = 0;

  get size(): number {
    return this.#counted.size;
  }

  has(userId: string): boolean {
    return this.#counted.has(userId);
  }

  join(userId: string): void {
    this.#counted.add(userId);
    this.#joined += 1;
  }

  leave(userId: string): void {
    if (this.#counted.delete(userId)) this.#left += 1;
  }

  /** From now on, this member is named. */
  name(userId: string): void {
    this.#counted.delete(userId);
  }

  /** Yields those who have been here the longest. */
  first(count: number): Iterable<string> {
    return this.#counted.values().take(count);
  }

  /** Returns how many have come and gone since the last call; undefined if no one has. */
  takeChange(): { joined: number; left: number } | undefined {
    if (this.#joined + this.#left === 0) return undefined;
    const change = { joined: this.#joined, left: this.#left };
    this.#joined = 0;
    this.#left = 0;
    return change;
  }
}

/** Returns whether someone who comes in is only counted. */
export const isCounted = (data: RoomData, userId: string): boolean =>
  data.members.size - data.crowd.size >= namedMax && data.roleOf(userId) === null;

/** Names those who have taken a seat, and others while there is place among the named. Returns whom. */
export function nameMembers({ crowd, live, members }: RoomData): string[] {
  if (crowd.size === 0) return [];
  const named = live.seats.flatMap(({ userId }) => (userId && crowd.has(userId) ? userId : []));
  for (const userId of named) crowd.name(userId);
  const free = namedMax - (members.size - crowd.size);
  if (free > 0) named.push(...crowd.first(free));
  for (const userId of named) crowd.name(userId);
  return named;
}
