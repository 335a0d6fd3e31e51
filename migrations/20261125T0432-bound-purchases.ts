type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Up to when an administrator has forgiven a user's purchases and refunds: the bounds of settings count later ones.
    CREATE TABLE purchase_clearances (
      user_id uuid PRIMARY KEY REFERENCES users,
      cleared_at timestamptz NOT NULL DEFAULT now()
    );
    -- The bound that an order exceeded whose money was taken already.
    ALTER TABLE payment_orders ADD COLUMN flag text;
  `);
}
