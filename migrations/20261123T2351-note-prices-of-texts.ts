type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What the carrier said of the price of the day's last message, in its own words.
    ALTER TABLE text_days
      ADD COLUMN price_class text,
      ADD CONSTRAINT text_days_price_class_check CHECK (price_class ~ '^[A-Za-z0-9_.-]{1,30}$') NOT VALID;
  `);
}
