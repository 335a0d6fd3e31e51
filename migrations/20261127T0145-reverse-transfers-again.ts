type Run = (sql: string) => Promise<void>;

/** A reversed refund gives coins of a reversed transfer back to the recipient: these can be taken back, too. */
export async function up(run: Run): Promise<void> {
  await run(`
    -- Each reversal leaves less than the one before.
    ALTER TABLE seller_reversals DROP CONSTRAINT seller_reversals_transfer_id_key,
      ADD CONSTRAINT seller_reversals_once UNIQUE (transfer_id, followed);
  `);
}
