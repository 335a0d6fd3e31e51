type Run = (sql: string) => Promise<void>;

export const compatible = { "ledger_entries.ledger_entries_house_check": "It allows more than before." };

export async function up(run: Run): Promise<void> {
  await run(`
    -- Each extension has an account of the house, named as its schema.
    ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_house_check, ADD CONSTRAINT ledger_entries_house_check CHECK (
      CASE asset
        WHEN 'coins' THEN house IN ('issue', 'gift_revenue', 'store_revenue', 'debt', 'exchange') OR house ~ '^ext_[a-z_]{2,30}$'
        WHEN 'earnings' THEN house IN ('issue', 'exchange', 'debt', 'payouts_held', 'payouts_sent', 'paid_out')
        ELSE house IN ('payments', 'catalogue_revenue', 'adjustments', 'debt')
      END) NOT VALID;
  `);
}
