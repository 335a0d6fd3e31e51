type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What happened in each quarter of an hour: the offsets of all time zones are multiples of it, so that the days of any
    -- zone can be summed.
    CREATE TABLE stat_quarters (
      metric text NOT NULL,
      quarter timestamptz NOT NULL CHECK (date_bin('15 minutes', quarter, '2000-01-01T00:00:00Z') = quarter),
      value bigint NOT NULL,
      PRIMARY KEY (metric, quarter) INCLUDE (value)
    );

    -- The sums of all quarters.
    CREATE TABLE stat_totals (
      metric text PRIMARY KEY,
      value bigint NOT NULL
    );
    CREATE FUNCTION add_to_stat_total() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO stat_totals (metric, value) VALUES (NEW.metric, NEW.value)
      ON CONFLICT (metric) DO UPDATE
      SET value = stat_totals.value + NEW.value - CASE TG_OP WHEN 'UPDATE' THEN OLD.value ELSE 0 END;
      RETURN NULL;
    END $$;
    CREATE TRIGGER stat_quarters_total AFTER INSERT OR UPDATE ON stat_quarters
      FOR EACH ROW EXECUTE FUNCTION add_to_stat_total();

    -- All quarters before this time are counted; null before the first count.
    CREATE TABLE stat_progress (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      counted_until timestamptz
    );
    INSERT INTO stat_progress DEFAULT VALUES;
  `);
}
