type Run = (sql: string) => Promise<void>;

/** What refunds of sellers' orders take back of what the sellers passed on. */
export async function up(run: Run): Promise<void> {
  await run(`
    -- The transfers that refunded stock was spent on, and how many of their coins that was. Taken: from the recipient, and
    -- from those who got them by gifts; the others are the seller's debt. Released: as many were paid for again, because
    -- the refund was reversed.
    CREATE TABLE refund_transfers (
      refund_id uuid NOT NULL REFERENCES payment_refunds,
      transfer_id uuid NOT NULL REFERENCES seller_transfers,
      coins bigint NOT NULL CHECK (coins > 0),
      taken bigint NOT NULL CHECK (taken BETWEEN 0 AND coins),
      released bigint NOT NULL DEFAULT 0 CHECK (released BETWEEN 0 AND coins),
      PRIMARY KEY (refund_id, transfer_id)
    );
    CREATE INDEX refund_transfers_transfer_idx ON refund_transfers (transfer_id);

    -- How many coins of the transfer refunds had taken before, so that it gave back the others.
    ALTER TABLE seller_reversals ADD COLUMN followed bigint NOT NULL DEFAULT 0 CHECK (followed >= 0);
  `);
}
