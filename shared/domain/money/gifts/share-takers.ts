import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { holdsNow } from "#shared/domain/money/agencies/agencies.policy.ts";
import { earnings } from "#shared/domain/money/ledger/assets.ts";
import { openBalances } from "#shared/domain/money/ledger/transfer.ts";

/** Who gets shares of gifts besides the recipient. */

/** Returns the host of a room, unless their account isn't active. */
export const ownerOf = async (roomId: string): Promise<string | undefined> =>
  (
    await queryOne<{ id: string }>(
      "SELECT u.id FROM rooms r JOIN users u ON u.id = r.host_id AND u.status = 'active' WHERE r.id = $1",
      [roomId],
    )
  )?.id;

/**
 * SQL: who gets the share of the agency of a host: its owner, if the contract holds now. Null: the share stays with the
 * house.
 */
export const agencyOwnerOf = (host: string): string => `(SELECT a.owner_id FROM contracts c
    JOIN agencies a ON a.id = c.agency_id AND a.status = 'active' AND a.retired_at IS NULL
    JOIN users w ON w.id = a.owner_id AND w.status = 'active'
  WHERE c.host_id = ${host} AND ${holdsNow("c")})`;

/** Returns the owner of the agency of a host. */
export const agencyOf = async (hostId: string): Promise<string | undefined> =>
  (await queryOne<{ id: string | null }>(`SELECT ${agencyOwnerOf("$1")} AS id`, [hostId]))?.id ?? undefined;

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
