type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What a paid order credits: "credit" of "asset", coins or money. "coins" only counts coins.
    ALTER TABLE payment_orders RENAME COLUMN coins TO credit;
    ALTER TABLE payment_orders ADD COLUMN asset asset NOT NULL DEFAULT 'coins',
      DROP CONSTRAINT payment_orders_kind_check,
      ADD CONSTRAINT payment_orders_kind_check CHECK (kind IN ('coins', 'vip', 'deposit')),
      DROP CONSTRAINT payment_orders_buys_one_thing, ADD CONSTRAINT payment_orders_buys_one_thing CHECK (
        CASE kind
          WHEN 'coins' THEN credit > 0 AND asset = 'coins' AND package_id IS NOT NULL AND plan_id IS NULL
            AND duration_days IS NULL
          WHEN 'deposit' THEN credit > 0 AND asset = currency::text AND package_id IS NULL AND plan_id IS NULL
            AND duration_days IS NULL
          ELSE credit = 0 AND package_id IS NULL AND plan_id IS NOT NULL AND duration_days IS NOT NULL
        END);
    ALTER TABLE payment_orders
      ADD COLUMN coins bigint NOT NULL GENERATED ALWAYS AS (CASE WHEN asset = 'coins' THEN credit ELSE 0 END) STORED;

    -- Of the asset of the order.
    ALTER TABLE payment_refunds RENAME COLUMN coins TO credit;
    ALTER TABLE payment_refunds RENAME COLUMN debt_coins TO debt;
    ALTER TABLE debt_payments RENAME COLUMN coins TO credit;
  `);
}
