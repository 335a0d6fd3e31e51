type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What an app store says of a user's age, in years, and of a guardian's consent. Null: not bounded on this side.
    CREATE TABLE age_signals (
      user_id uuid PRIMARY KEY REFERENCES users (id),
      source text NOT NULL,
      lower smallint CHECK (lower BETWEEN 0 AND 150),
      upper smallint CHECK (upper BETWEEN lower AND 150),
      method text NOT NULL,
      consent text NOT NULL,
      received_at timestamptz NOT NULL DEFAULT now()
    );
  `);
}
