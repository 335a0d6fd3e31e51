type Run = (sql: string) => Promise<void>;

export const compatible = {
  "share_debt_payments.share_debt_payments_exchange_id_key": "The previous release names no exchange.",
};

/** What exchanged earnings pay of a debt in coins is told from what pays for refunded gifts. */
export async function up(run: Run): Promise<void> {
  await run(`
    -- The exchange whose coins paid a debt in coins; null: what the user had paid a debt of gifts.
    ALTER TABLE share_debt_payments ADD COLUMN exchange_id uuid UNIQUE REFERENCES earnings_exchanges,
      ADD CONSTRAINT share_debt_payments_exchange CHECK (exchange_id IS NULL OR asset = 'coins') NOT VALID;
  `);
}
