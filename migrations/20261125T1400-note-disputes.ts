type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  // How the dispute stands that took the money; null for a refund.
  await run(`
    ALTER TABLE payment_refunds ADD COLUMN dispute text;
    ALTER TABLE payment_refunds ADD CONSTRAINT payment_refunds_dispute_check
      CHECK (dispute IN ('open', 'won', 'lost')) NOT VALID;
  `);
}
