import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { ofAccepted, SharedTransactions } from "#shared/db/shared-transactions.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type Asset, coins } from "./assets.ts";
import { lockWallets, type Transfer, type Transferred, transferAll } from "./transfer.ts";

/** A movement that is made unless a wallet would fall below zero. */
interface Planned {
  readonly transfer: Transfer;
}

/** A kind of movement of coins. Each of its steps is given several calls at once, and works on arrays. */
export interface MovementKind<Call, Plan extends Planned, Result> {
  /** Returns the users whose wallets a call moves. */
  usersOf(call: Call): readonly string[];
  /** Returns what else than coins a call moves in these users' wallets, which must be open. */
  assetsOf?(call: Call): readonly Asset[];
  /**
   * Step: judges each call by everything but the wallets. Reads only: it may neither write nor wait for a lock, since a
   * call can still be refused, and others share its transaction.
   */
  plan(tx: Tx, calls: readonly Call[]): Promise<readonly (Plan | DomainError)[]>;
  /**
   * Step: reads what the users of accepted calls must keep, once their wallets are locked, and returns the transfers
   * with it, in the same order. Undefined: nothing.
   */
  bound?(tx: Tx, plans: readonly Plan[]): Promise<readonly Transfer[]> | undefined;
  /** Step: writes the rows of movements whose coins have moved. If it throws, each movement is made again alone. */
  store(tx: Tx, plans: readonly Plan[], moved: readonly Transferred[]): Promise<readonly Result[]>;
}

type AnyKind = MovementKind<unknown, Planned, unknown>;

interface MovementCall {
  readonly kind: AnyKind;
  readonly call: unknown;
}

/** All kinds share transactions. */
const movements = new SharedTransactions(moveTogether, ({ kind, call }: MovementCall) => kind.usersOf(call));

/**
 * Makes a kind of movement a command: `move(call, idempotency)`. Movements of all kinds that wait are made together, in
 * one transaction, or in two when they are many: each is judged by itself, and fails alone. A lone one doesn't wait.
 * Throws the errors of `plan` and `transfer`, IDEMPOTENCY_CONFLICT, and ENGINE_UNAVAILABLE when too many wait.
 */
export const movementCommand =
  <Call, Plan extends Planned, Result>(kind: MovementKind<Call, Plan, Result>) =>
  (call: Call, idempotency?: IdempotentCall): Promise<Result> =>
    movements.run({ kind: kind as AnyKind, call }, idempotency) as Promise<Result>;

async function moveTogether(tx: Tx, asked: readonly MovementCall[]): Promise<(unknown | DomainError)[]> {
  const planning = byKind(asked, async (kind, ofKind) => {
    const plans = await kind.plan(
      tx,
      ofKind.map(({ call }) => call),
    );
    return plans.map((plan) => (plan instanceof DomainError ? plan : { kind, plan }));
  });
  // Sent along with the statements of the plans.
  const locking = lockWallets(
    tx,
    asked.flatMap(({ kind, call }) => kind.usersOf(call)),
    [...new Set([coins, ...asked.flatMap(({ kind, call }) => kind.assetsOf?.(call) ?? [])])],
  );
  const [planned, wallets] = await Promise.all([planning, locking]);

  const moved = await ofAccepted(planned, async (accepted) => {
    const bounded = byKind(accepted, async (kind, ofKind) => {
      const plans = ofKind.map(({ plan }) => plan);
      return (await kind.bound?.(tx, plans)) ?? plans.map(({ transfer }) => transfer);
    });
    const outcomes = transferAll(tx, await bounded, wallets);
    return outcomes.map((moved, index) => (moved instanceof DomainError ? moved : { ...accepted[index]!, moved }));
  });
  return ofAccepted(moved, (accepted) =>
    byKind(accepted, (kind, ofKind) =>
      kind.store(
        tx,
        ofKind.map(({ plan }) => plan),
        ofKind.map((one) => one.moved),
      ),
    ),
  );
}

/** Applies a step to those of each kind. Returns the outcomes in the order of `all`. */
async function byKind<One extends { readonly kind: AnyKind }, Outcome>(
  all: readonly One[],
  step: (kind: AnyKind, ofKind: readonly One[]) => Promise<readonly Outcome[]>,
): Promise<Outcome[]> {
  const groups = [...Map.groupBy(all, ({ kind }) => kind)];
  const outcomes = await Promise.all(
    groups.map(async ([kind, ofKind]) => [kind, (await step(kind, ofKind)).values()] as const),
  );
  const outcomesOf = new Map(outcomes);
  return all.map(({ kind }) => outcomesOf.get(kind)!.next().value!);
}
