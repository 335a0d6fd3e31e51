type Run = (sql: string) => Promise<void>;

/** What an administrator takes back for a seller pays first what they owe for refunded stock. */
export async function up(run: Run): Promise<void> {
  await run(`
    -- Of the seller's debt, in stock, that the reversal paid.
    ALTER TABLE seller_reversals ADD COLUMN paid bigint NOT NULL DEFAULT 0,
      ADD CONSTRAINT seller_reversals_paid_check CHECK (paid >= 0) NOT VALID;
    CREATE INDEX seller_reversals_paid_idx ON seller_reversals (transfer_id) WHERE paid > 0;
  `);
}
