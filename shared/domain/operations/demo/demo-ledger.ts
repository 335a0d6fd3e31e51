import { query } from "#shared/db/query.ts";
import { coins } from "#shared/domain/money/ledger/assets.ts";
import { demoPeople } from "./demo-data.ts";

/** A ledger transaction of coins. The amounts of its entries add up to zero. */
export interface DemoTransaction {
  readonly id: string;
  readonly description: string;
  readonly created_at: string;
  /** `account` is a username, or one of the house's accounts. `balance_after` is null for the house. */
  readonly entries: readonly {
    readonly account: string;
    readonly type: string;
    readonly amount: number;
    readonly balance_after: number | null;
  }[];
}

/** Returns the newest 20 ledger transactions in which a demo person has an entry, with all their entries. */
export const listDemoTransactions = (): Promise<DemoTransaction[]> =>
  query<DemoTransaction>(
    `SELECT m.id, m.description, m.created_at,
       (SELECT json_agg(json_build_object('account', coalesce(u.username, e.house), 'type', e.type,
           'amount', e.amount, 'balance_after', e.balance_after) ORDER BY e.amount, e.id)
         FROM ledger_entries e LEFT JOIN users u ON u.id = e.user_id WHERE e.movement_id = m.id) AS entries
     FROM ledger_movements m
     WHERE m.id IN (
       SELECT e.movement_id FROM users u
       JOIN LATERAL (
         SELECT movement_id FROM ledger_entries WHERE user_id = u.id AND asset = $3 ORDER BY entry_no DESC LIMIT 20
       ) e ON true
       WHERE u.username = ANY ($1::text[]) AND u.email = ANY ($2::text[]))
     ORDER BY m.created_at DESC, m.id DESC LIMIT 20`,
    [demoPeople.map(({ username }) => username), demoPeople.map(({ email }) => email), coins],
  );
