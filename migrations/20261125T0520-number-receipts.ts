type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The last number of each series in a year. Its row is locked until the commit, so that no number is left out.
    CREATE TABLE receipt_series (
      series text NOT NULL,
      year integer NOT NULL,
      last integer NOT NULL,
      PRIMARY KEY (series, year)
    );

    -- What a purchase cost, as it was when it was paid, and what refunds and their reversals changed. The amounts of an
    -- order add up to what its payment hasn't refunded.
    CREATE TABLE receipts (
      id uuid PRIMARY KEY,
      order_id uuid NOT NULL REFERENCES payment_orders,
      kind text NOT NULL CHECK (kind IN ('receipt', 'credit_note', 'debit_note')),
      number text NOT NULL UNIQUE,
      seller_name text NOT NULL,
      seller_address text NOT NULL,
      seller_tax_id text NOT NULL,
      country text,
      -- In basis points; null if a store is the seller, whose taxes aren't ours.
      tax_rate integer,
      net bigint NOT NULL,
      tax bigint NOT NULL,
      gross bigint NOT NULL,
      currency text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT receipts_adds_up CHECK (net + tax = gross)
    );
    CREATE INDEX receipts_order_idx ON receipts (order_id);
    CREATE UNIQUE INDEX receipts_first_idx ON receipts (order_id) WHERE kind = 'receipt';
  `);
}
