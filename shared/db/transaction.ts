import type { Facts, Topic } from "#shared/contracts/facts.ts";
import { assert } from "#shared/kernel/assert.ts";
import { logger } from "#shared/kernel/logger.ts";
import { claimKey, type IdempotentCall, storeAnswer } from "./idempotency.ts";
import { appendFact, wakeRelay } from "./outbox.ts";
import { query } from "./query.ts";
import { currentTransaction, sequelize } from "./sequelize.ts";

/** What a step inside a transaction may use. A function that takes one never begins or ends it. */
export interface Tx {
  query: typeof query;
  /** Writes a fact to the outbox: it leaves after the commit, or not at all. */
  publish<T extends Topic>(topic: T, payload: Facts[T]): Promise<void>;
  /** Runs once after the commit; must not throw. */
  afterCommit(work: () => void): void;
}

const attemptsMax = 4;
const retryable = new Set(["40001", "40P01"]);

/** SQLSTATE of a database error, through whatever wrapped it. */
export function sqlState(error: unknown): string | undefined {
  const { code, parent } = (error ?? {}) as { code?: unknown; parent?: unknown };
  if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code)) return code;
  return parent ? sqlState(parent) : undefined;
}

/** The constraint that a database error names, such as `users_username_key`. */
export function violatedConstraint(error: unknown): string | undefined {
  const { constraint, parent } = (error ?? {}) as { constraint?: string; parent?: unknown };
  return constraint ?? (parent ? violatedConstraint(parent) : undefined);
}

/**
 * Runs `work` in one READ COMMITTED transaction, again as a whole (at most 3 times more) when the database chose it as
 * the victim of a conflict. So `work` touches nothing outside the database; effects go through `publish` and
 * `afterCommit`. With `idempotency`, the first answer of a key is kept and repeated. Transactions do not nest.
 */
export async function inTransaction<T>(work: (tx: Tx) => Promise<T>, idempotency?: IdempotentCall): Promise<T> {
  assert(!currentTransaction(), "transactions do not nest");
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(work, idempotency);
    } catch (error) {
      if (attempt === attemptsMax || !retryable.has(sqlState(error) ?? "")) throw error;
      logger.debug({ attempt, state: sqlState(error) }, "transaction is run again");
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
    }
  }
}

async function runOnce<T>(work: (tx: Tx) => Promise<T>, idempotency?: IdempotentCall): Promise<T> {
  let facts = 0;
  const hooks: (() => void)[] = [];
  const tx: Tx = {
    query,
    publish: async (topic, payload) => {
      facts += 1;
      await appendFact(topic, payload);
    },
    afterCommit: (hook) => void hooks.push(hook),
  };
  const result = await sequelize.transaction(async () => {
    if (!idempotency) return work(tx);
    const claim = await claimKey<T>(idempotency);
    if (claim.seen) return claim.answer;
    const answer = await work(tx);
    await storeAnswer(idempotency, answer);
    return answer;
  });
  for (const hook of hooks) hook();
  if (facts > 0) wakeRelay();
  return result;
}
