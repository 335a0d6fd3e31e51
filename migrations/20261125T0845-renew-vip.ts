type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- VIP that is paid again at the end of each period, where the payment provider can do that.
    ALTER TABLE vip_plans ADD COLUMN renews boolean NOT NULL DEFAULT false;
    ALTER TABLE payment_orders ADD COLUMN renews boolean NOT NULL DEFAULT false;
  `);
}
