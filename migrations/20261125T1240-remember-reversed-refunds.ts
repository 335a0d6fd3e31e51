type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Refunds that were reversed before they were reported: they take nothing.
    CREATE TABLE reversed_refunds (
      provider text NOT NULL,
      provider_refund_id text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (provider, provider_refund_id)
    );
  `);
}
