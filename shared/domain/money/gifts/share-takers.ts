import { GroupCommit } from "#shared/db/group-commit.ts";
import { query } from "#shared/db/query.ts";
import { outsideTransaction } from "#shared/db/sequelize.ts";
import { tooManyWait } from "#shared/db/shared-transactions.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { holdsNow } from "#shared/domain/money/agencies/agencies.policy.ts";
import { earnings } from "#shared/domain/money/ledger/assets.ts";
import { openBalances } from "#shared/domain/money/ledger/transfer.ts";

/** Who gets shares of gifts besides the recipient. */

/** SQL: not a join, for which the planner might read all active users while it knows little of a new database. */
const isActive = (userId: string): string => `(SELECT status = 'active' FROM users u WHERE u.id = ${userId})`;

/**
 * SQL: who gets the share of the agency of a host: its owner, if the contract holds now. Null: the share stays with the
 * house.
 */
export const agencyOwnerOf = (host: string): string => `(SELECT a.owner_id FROM contracts c
    JOIN agencies a ON a.id = c.agency_id AND a.status = 'active' AND a.retired_at IS NULL
  WHERE c.host_id = ${host} AND ${holdsNow("c")} AND ${isActive("a.owner_id")})`;

/** Whom a plan may give shares of a gift besides its recipient, and the recipient's country, which it may depend on. */
export interface ShareTakers {
  readonly country: string | null;
  /** The host of the room, if their account is active. */
  readonly owner: string | null;
  /** The owner of the recipient's agency. */
  readonly agency: string | null;
}

interface Asked {
  readonly room_id: string;
  readonly recipient_id: string;
}

/** Gifts that come together are read together: each would wait for a statement of its own. */
const reads = new GroupCommit<Asked, ShareTakers>((asked) =>
  outsideTransaction(() =>
    query<ShareTakers & Record<string, unknown>>(
      `SELECT (SELECT country FROM users u WHERE u.id = o.recipient_id) AS country,
         (SELECT r.host_id FROM rooms r WHERE r.id = o.room_id AND ${isActive("r.host_id")}) AS owner,
         ${agencyOwnerOf("o.recipient_id")} AS agency
       FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS o (room_id, recipient_id, place) ORDER BY place`,
      [asked.map(({ room_id }) => room_id), asked.map(({ recipient_id }) => recipient_id)],
    ),
  ),
);

/**
 * Returns whom plans may give shares of a gift, as it is now.
 * @throws ENGINE_UNAVAILABLE when too many gifts wait for it
 */
export async function shareTakersOf(asked: Asked): Promise<ShareTakers> {
  if (reads.full) throw tooManyWait();
  return reads.add(asked);
}

/** Users whose earnings this process knows to be open: a bounded number, the latest. */
const open = new Set<string>();
const openMax = 100_000;

/** Opens the earnings of those who have none, before the ledger locks them. */
export async function openEarnings(userIds: readonly string[]): Promise<void> {
  const unknown = userIds.filter((id) => !open.has(id));
  if (unknown.length === 0) return;
  await inTransaction((tx) => openBalances(tx, unknown, earnings));
  for (const id of unknown) open.add(id);
  for (const id of open) {
    if (open.size <= openMax) break;
    open.delete(id);
  }
}
