import { type Principal, principalId } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type GrantKind, grantEntryTypes } from "./grant-kinds.ts";
import { transfer } from "./transfer.ts";

export interface CoinGrant {
  readonly by: Principal;
  readonly kind: GrantKind;
  /** The ID of the adjustment in `balance_adjustments`, if there is one. */
  readonly id?: string;
  readonly userId: string;
  /** Not zero. A negative number takes coins back. */
  readonly coins: number;
  /** Shown to the user as the description of the transaction. */
  readonly reason: string;
}

/**
 * Step: moves coins from the house to a user without a sale, and records why. A user gets a signup bonus and a demo
 * grant at most once: a second one violates the primary key of `coin_grants`. Returns the new balance.
 * @throws INSUFFICIENT_BALANCE if more coins are taken back than the wallet holds
 */
export async function grantCoins(tx: Tx, { by, kind, userId, coins, reason, ...grant }: CoinGrant): Promise<number> {
  const id = kind === "adjustment" ? (grant.id ?? newId()) : userId;
  await tx.query(
    `INSERT INTO coin_grants (kind, id, user_id, coins, reason, principal_kind, principal_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [kind, id, userId, coins, reason, by.kind, by.kind === "service" ? null : principalId(by)],
  );
  const type = grantEntryTypes[kind];
  const { balances } = await transfer(tx, {
    by,
    reference: { type: kind, id },
    description: reason,
    entries: [
      { account: { userId }, amount: coins, type },
      { account: { house: "issue" }, amount: -coins, type },
    ],
  });
  return balances.get(userId)!;
}
