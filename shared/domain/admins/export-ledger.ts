import { query } from "#shared/db/query.ts";
import { inSnapshot } from "#shared/db/snapshot.ts";
import { coins } from "#shared/domain/ledger/assets.ts";
import { chainHash, signHead } from "./audit-chain.ts";

const batchSize = 2000;
const firstId = "00000000-0000-0000-0000-000000000000";

/**
 * Writes an export of the ledger, in one snapshot, that `docs/verify-export.mjs` verifies: a line for each ledger
 * transaction with its entries, chained by hashes, then the signed head. Entries of money have a `currency`. Returns the number of ledger transactions.
 */
export function exportLedger(write: (line: string) => Promise<void>): Promise<number> {
  const work = async () => {
    let [after, hash, count] = [firstId, "", 0];
    for (;;) {
      const movements = await query<{ id: string; text: string }>(
        `SELECT m.id, jsonb_build_object('id', m.id, 'reference_type', m.reference_type, 'reference_id', m.reference_id,
           'description', m.description, 'created_at', m.created_at, 'entries', (
             SELECT coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'type', e.type, 'user_id', e.user_id, 'house', e.house,
               'amount', e.amount, 'balance_after', e.balance_after, 'entry_no', e.entry_no)
               || CASE e.asset WHEN '${coins}' THEN '{}' ELSE jsonb_build_object('currency', e.asset) END ORDER BY e.id), '[]')
             FROM ledger_entries e WHERE e.movement_id = m.id))::text AS text
         FROM ledger_movements m WHERE m.id > $1 ORDER BY m.id LIMIT $2`,
        [after, batchSize],
      );
      for (const { text } of movements) {
        hash = chainHash(hash, text);
        await write(`${JSON.stringify({ entry: text, hash })}\n`);
      }
      count += movements.length;
      if (movements.length < batchSize) break;
      after = movements.at(-1)!.id;
    }
    await write(`${JSON.stringify({ head: signHead(count, hash) })}\n`);
    return count;
  };
  return inSnapshot(work, { isLong: true });
}
