import { matchMaker } from "@colyseus/core";
import { addressPresence } from "#shared/domain/identity/presence/presence.audience.ts";
import {
  connectionClosed,
  connectionOpened,
  dropExpiredLeases,
  dropProcess,
  renewEveryMs,
  renewLeases,
} from "#shared/domain/identity/presence/presence.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Fanout } from "./fanout.ts";

/**
 * How long moves between rooms are collected before they are announced, in milliseconds. Users often move in crowds.
 */
const movedMs = 300;
/** Users whose moves are announced by one query. */
const movedAtOnce = 500;

/**
 * Counts each user's connections to this process, over all transports, and stores the first and the last. Pushes who
 * came online or went offline, over all processes, and who went to another room, to those whom the user's settings
 * allow.
 */
export class PresenceTracker {
  readonly #counts = new Map<string, number>();
  /** Each user's last step in progress, which keeps the steps of one user in order. */
  readonly #steps = new Map<string, Promise<void>>();
  readonly #fanout: Fanout;
  readonly #timer: NodeJS.Timeout;
  /** Dead processes whose users are being announced as gone. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #moved = new Set<string>();
  #movedTimer: NodeJS.Timeout | undefined;

  constructor(fanout: Fanout) {
    this.#fanout = fanout;
    this.#timer = setInterval(() => {
      this.#renew().catch((error: unknown) => logger.warn({ err: error }, "presence leases were not renewed"));
    }, renewEveryMs);
  }

  /** Renews the leases of this process, then drops the expired ones of processes that died. */
  async #renew(): Promise<void> {
    const lost = await renewLeases(matchMaker.processId, [...this.#counts.keys()]);
    // In order with the other steps of these users, so that one who leaves meanwhile doesn't reappear.
    await Promise.all(lost.filter((userId) => this.#counts.has(userId)).map((userId) => this.#step(userId, true)));
    for (const userId of await dropExpiredLeases()) await this.#announce([userId]);
  }

  /**
   * Announces that the users of a dead process went offline, without waiting for its leases. Every actor that finds
   * it dead calls this. If the process is alive after all, it opens its leases again when it renews them.
   */
  processDied(processId: string): Promise<void> {
    const ending = this.#ending.get(processId) ?? this.#drop(processId).finally(() => this.#ending.delete(processId));
    this.#ending.set(processId, ending);
    return ending;
  }

  async #drop(processId: string): Promise<void> {
    for (const userId of await dropProcess(processId)) await this.#announce([userId]);
  }

  opened(userId: string): Promise<void> {
    const count = (this.#counts.get(userId) ?? 0) + 1;
    this.#counts.set(userId, count);
    return count === 1 ? this.#step(userId, true) : (this.#steps.get(userId) ?? Promise.resolve());
  }

  async closed(userId: string): Promise<void> {
    const count = (this.#counts.get(userId) ?? 1) - 1;
    if (count > 0) {
      this.#counts.set(userId, count);
      return;
    }
    this.#counts.delete(userId);
    await this.#step(userId, false);
  }

  #step(userId: string, online: boolean): Promise<void> {
    const previous = this.#steps.get(userId) ?? Promise.resolve();
    const step = previous
      .then(() => this.#store(userId, online))
      .catch((error: unknown) => logger.warn({ err: error, userId }, "presence was not written"))
      .finally(() => {
        if (this.#steps.get(userId) === step) this.#steps.delete(userId);
      });
    this.#steps.set(userId, step);
    return step;
  }

  async #store(userId: string, online: boolean): Promise<void> {
    const { processId } = matchMaker;
    const changed = online ? await connectionOpened(userId, processId) : await connectionClosed(userId, processId);
    if (changed) await this.#announce([userId]);
  }

  /** Announces that these users moved to another room, or left theirs, which is already stored. */
  moved(userIds: readonly string[]): void {
    for (const userId of userIds) this.#moved.add(userId);
    this.#movedTimer ??= setTimeout(() => {
      this.#movedTimer = undefined;
      const moved = [...this.#moved];
      this.#moved.clear();
      this.#announceMoved(moved).catch((error: unknown) => logger.warn({ err: error }, "moves were not announced"));
    }, movedMs);
  }

  async #announceMoved(userIds: readonly string[]): Promise<void> {
    for (let at = 0; at < userIds.length; at += movedAtOnce) await this.#push(userIds.slice(at, at + movedAtOnce));
  }

  /** Announces that these users came online or went offline. */
  #announce(userIds: readonly string[]): Promise<void> {
    this.#fanout.cameOrWent(userIds);
    return this.#push(userIds);
  }

  async #push(userIds: readonly string[]): Promise<void> {
    for (const { presence, audience } of await addressPresence(userIds))
      this.#fanout.toUsers(audience, { event: "presence:update", payload: presence });
  }

  /** Waits for work in progress, announces that the users still connected to this process went offline, and stops. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#movedTimer);
    await Promise.all(this.#steps.values());
    // Without a database, the others find what a dead process left.
    await this.#drop(matchMaker.processId).catch((error: unknown) =>
      logger.warn({ err: error }, "presence of a process that ends was not removed"),
    );
  }
}
