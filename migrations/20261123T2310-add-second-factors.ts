type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    ALTER TABLE users
      ADD COLUMN totp_secret_sealed text,
      ADD COLUMN totp_confirmed_at timestamptz,
      -- The time step of the last accepted code: a code works once.
      ADD COLUMN totp_last_step bigint NOT NULL DEFAULT 0;

    CREATE TABLE user_recovery_codes (
      user_id uuid NOT NULL REFERENCES users (id),
      -- SHA-256 of 72 random bits.
      code_hash bytea NOT NULL,
      PRIMARY KEY (user_id, code_hash)
    );
  `);
}
