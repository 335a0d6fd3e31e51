import { DomainError } from "#shared/kernel/domain-error.ts";
import { Lanes } from "#shared/kernel/lanes.ts";
import { GroupCommit } from "./group-commit.ts";
import { claimKeys, type IdempotentCall, settleKeys } from "./idempotency.ts";
import { onSharedPool } from "./sequelize.ts";
import { inTransaction, mayBeCommitted, sqlState, type Tx } from "./transaction.ts";

/**
 * Executes calls of one kind together. Returns the result of each, in order, or the error of a call that it refuses,
 * for which it has changed nothing. When it throws, all of it is undone, and the calls are divided until the one that
 * fails is alone.
 */
export type SharedWork<Call, Result> = (tx: Tx, calls: readonly Call[]) => Promise<readonly (Result | DomainError)[]>;

interface QueuedCall<Call> {
  readonly call: Call;
  readonly idempotency: IdempotentCall | undefined;
}

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

const lockTimeout = "55P03";
/** How many calls must wait for a transaction to begin beside another. */
const besideFrom = 16;
/** How long calls that need a lock which was held too long are executed alone. */
const apartMs = 5000;

export const tooManyWait = () =>
  new DomainError("ENGINE_UNAVAILABLE", "Too many calls are waiting.", { retryAfter: 1 });

/** Calls with one idempotency key run one after the other. */
const keys = new Lanes({ width: 1, waitingMax: 200 });
const alone = new Lanes({ width: 3, waitingMax: 200 });

/**
 * Transactions that calls of one kind share. Those that arrive while a transaction is under way go together in the
 * next, or in one beside it when they are many: a lone call doesn't wait, and a busy service executes many for little
 * more than the price of one. Each call is judged by itself, repeated as in `inTransaction`, and fails alone.
 */
export class SharedTransactions<Call, Result> {
  readonly #work: SharedWork<Call, Result>;
  readonly #locksOf: (call: Call) => readonly string[];
  readonly #batches: GroupCommit<QueuedCall<Call>, Outcome<Result> | "lock held">;
  /** The time until which calls that need each of these locks are executed alone. */
  readonly #apart = new Map<string, number>();

  /** `locksOf`: what a call locks, such as wallets. A lock that is held too long delays only those that need it. */
  constructor(work: SharedWork<Call, Result>, locksOf: (call: Call) => readonly string[]) {
    this.#work = work;
    this.#locksOf = locksOf;
    this.#batches = new GroupCommit((asked) => onSharedPool(() => this.#executeTogether(asked)), {
      atOnce: 2,
      besideFrom,
    });
  }

  /** @throws ENGINE_UNAVAILABLE when too many calls wait: then nothing was done */
  async run(call: Call, idempotency?: IdempotentCall): Promise<Result> {
    const execute = () => this.#execute({ call, idempotency });
    const outcome = await (idempotency ? keys.run(`${idempotency.scope} ${idempotency.key}`, execute) : execute());
    if ("error" in outcome) throw outcome.error;
    return outcome.result;
  }

  async #execute(asked: QueuedCall<Call>): Promise<Outcome<Result>> {
    if (this.#batches.full) throw tooManyWait();
    const locks = this.#locksOf(asked.call);
    const held = locks.find((lock) => (this.#apart.get(lock) ?? 0) > performance.now());
    const outcome = held === undefined ? await this.#batches.add(asked) : "lock held";
    if (outcome !== "lock held") return outcome;

    try {
      return (await alone.run(held ?? "", () => this.#executeAll([asked])))[0]!;
    } catch (error) {
      if (sqlState(error) === lockTimeout) this.#keepApart(locks);
      throw error;
    }
  }

  #keepApart(locks: readonly string[]): void {
    for (const [lock, untilMs] of this.#apart) if (untilMs < performance.now()) this.#apart.delete(lock);
    for (const lock of locks) this.#apart.set(lock, performance.now() + apartMs);
  }

  async #executeTogether(asked: readonly QueuedCall<Call>[]): Promise<(Outcome<Result> | "lock held")[]> {
    try {
      return await this.#executeAll(asked);
    } catch (error) {
      if (sqlState(error) === lockTimeout) return asked.map(() => "lock held");
      // Nothing may be done twice.
      if (mayBeCommitted(error)) return asked.map(() => ({ error }));
      throw error;
    }
  }

  #executeAll(asked: readonly QueuedCall<Call>[]): Promise<Outcome<Result>[]> {
    return inTransaction((tx) => this.#executeIn(tx, asked));
  }

  async #executeIn(tx: Tx, asked: readonly QueuedCall<Call>[]): Promise<Outcome<Result>[]> {
    const claims = await claimKeys(asked.map(({ idempotency }) => idempotency));
    const fresh = asked.filter((_, index) => claims[index] === "new");
    const calls = fresh.map(({ call }) => call);
    const done = await this.#work(tx, calls);
    const keyed = fresh.map(({ idempotency }) => idempotency);
    settleKeys(keyed, done);

    const ours = done.values();
    return claims.map((claim) => {
      if (claim === "new") return outcomeOf(ours.next().value!);
      return claim instanceof DomainError ? { error: claim } : { result: claim.result as Result };
    });
  }
}

const outcomeOf = <Result>(done: Result | DomainError): Outcome<Result> =>
  done instanceof DomainError ? { error: done } : { result: done };

/**
 * Applies a step to the calls that are not refused yet, if there are any. The others keep their errors, and all their
 * order.
 */
export async function ofAccepted<Before, After>(
  outcomes: readonly (Before | DomainError)[],
  step: (accepted: readonly Before[]) => Promise<readonly (After | DomainError)[]>,
): Promise<(After | DomainError)[]> {
  const accepted = outcomes.filter((outcome): outcome is Before => !(outcome instanceof DomainError));
  const done = accepted.length > 0 ? (await step(accepted)).values() : [].values();
  return outcomes.map((outcome) => (outcome instanceof DomainError ? outcome : done.next().value!));
}
