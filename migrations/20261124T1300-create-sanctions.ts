type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What users may not do for a while. Every process keeps those that hold in memory.
    CREATE TABLE sanctions (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      kinds text[] NOT NULL,
      until timestamptz,
      reason text NOT NULL,
      created_by uuid NOT NULL REFERENCES admins,
      created_at timestamptz NOT NULL DEFAULT now(),
      lifted_at timestamptz
    );
    CREATE INDEX sanctions_user_idx ON sanctions (user_id, id DESC);
    CREATE INDEX sanctions_active_idx ON sanctions (user_id) WHERE lifted_at IS NULL;
    CREATE INDEX sanctions_creator_idx ON sanctions (created_by);

    CREATE TABLE appeals (
      id uuid PRIMARY KEY,
      sanction_id uuid NOT NULL UNIQUE REFERENCES sanctions,
      user_id uuid NOT NULL REFERENCES users,
      text text NOT NULL,
      status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'upheld', 'overturned')),
      answer text,
      decided_by uuid REFERENCES admins,
      decided_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX appeals_status_idx ON appeals (status, id DESC);
    CREATE INDEX appeals_user_idx ON appeals (user_id);
    CREATE INDEX appeals_decider_idx ON appeals (decided_by) WHERE decided_by IS NOT NULL;
  `);
}
