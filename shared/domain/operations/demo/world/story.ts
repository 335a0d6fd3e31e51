import { query, queryOne } from "#shared/db/query.ts";
import { alone } from "#shared/db/transaction.ts";
import { daysMs, secondsMs } from "#shared/kernel/clock.ts";
import { dateIds, firstIdAt, timeOfId } from "#shared/kernel/ids.ts";
import { demoDomain } from "./cast.ts";

/** The tables whose rows an act creates, by which it is recognized. */
type ActTable =
  | "users"
  | "rooms"
  | "posts"
  | "post_comments"
  | "direct_messages"
  | "gift_transactions"
  | "payment_orders"
  | "reports"
  | "support_tickets"
  | "held_content"
  | "sanctions"
  | "friend_requests";

/** Tables whose times can follow their IDs: those of the ledger and of what caused it stay as they are. */
const dated: readonly ActTable[] = [
  "users",
  "rooms",
  "posts",
  "post_comments",
  "direct_messages",
  "reports",
  "support_tickets",
];

export const storyDays = 30;

/**
 * The month before the first demo person was created. Each act has a second of its own, and its commands run now, but
 * their new IDs say that second. So a telling after a kill recognizes by the IDs what has happened; charts and
 * leaderboards, which read the times of IDs, show a month; and a row of the story is known by its ID. What the ledger
 * says of its own times stays true: they are in its chain.
 */
export class Story {
  readonly #startMs: number;
  readonly #endMs: number;

  readonly #signal: AbortSignal | undefined;

  private constructor(endMs: number, signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.#endMs = Math.floor(endMs / 1000) * 1000;
    this.#startMs = this.#endMs - daysMs(storyDays);
  }

  /** Returns the story of a database in which there are only active demo people; undefined for any other. */
  static async open(signal?: AbortSignal): Promise<Story | undefined> {
    const found = await queryOne<{ id: string | null; others: boolean }>(
      `SELECT (SELECT id FROM users WHERE username = 'ada' AND email = $1) AS id,
         EXISTS (SELECT FROM users WHERE status <> 'active' OR email IS NULL OR email NOT LIKE '%@' || $2) AS others`,
      [`ada@${demoDomain}`, demoDomain],
    );
    return found?.id && !found.others ? new Story(timeOfId(found.id), signal) : undefined;
  }

  /** Runs an act at a second of the story, unless it has happened. */
  async act(table: ActTable, second: number, work: () => Promise<unknown>): Promise<void> {
    this.#signal?.throwIfAborted();
    const atMs = this.#startMs + secondsMs(second);
    if (await this.#hasHappened(table, atMs)) return;
    dateIds(() => atMs);
    try {
      await work();
    } finally {
      dateIds();
    }
  }

  /** Like `act`, for what moves coins: not after the ledger was chained, which has no place for earlier movements. */
  async moveCoins(table: ActTable, second: number, work: () => Promise<unknown>): Promise<void> {
    if (!(await queryOne("SELECT FROM ledger_chain LIMIT 1"))) await this.act(table, second, work);
  }

  async #hasHappened(table: ActTable, atMs: number): Promise<boolean> {
    const found = await query(`SELECT FROM ${table} WHERE id >= $1 AND id < $2 LIMIT 1`, [
      firstIdAt(atMs),
      firstIdAt(atMs + 1000),
    ]);
    return found.length > 0;
  }

  /** Gives the rows of the story the times of their IDs. */
  async date(): Promise<void> {
    for (const table of dated)
      await alone(
        `UPDATE ${table} SET created_at = time_of_id(id)
         WHERE id >= $1 AND id < $2 AND created_at <> time_of_id(id)`,
        [firstIdAt(this.#startMs), firstIdAt(this.#endMs)],
      );
  }
}
