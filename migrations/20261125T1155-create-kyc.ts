type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What a provider, or an administrator, has found about who a user is: the result, and never a document.
    CREATE TABLE kyc_cases (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      provider text NOT NULL,
      -- The provider's ID of the case. Null once the user is erased.
      reference text,
      status text NOT NULL CHECK (status IN ('pending', 'approved', 'rejected')),
      level smallint NOT NULL DEFAULT 0 CHECK (level BETWEEN 0 AND 9 AND (level = 0 OR status = 'approved')),
      expires_at timestamptz,
      reason text NOT NULL DEFAULT '',
      -- The administrator who has decided it by hand.
      decided_by uuid REFERENCES admins,
      decided_at timestamptz CHECK ((decided_at IS NULL) = (status = 'pending')),
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (provider, reference)
    );
    CREATE INDEX kyc_cases_user_idx ON kyc_cases (user_id, decided_at);
    CREATE INDEX kyc_cases_decided_by_idx ON kyc_cases (decided_by) WHERE decided_by IS NOT NULL;
    CREATE UNIQUE INDEX kyc_cases_one_pending ON kyc_cases (user_id) WHERE status = 'pending';
  `);
}
