type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- By which the operator's own servers call the admin API, and act as bots.
    CREATE TABLE server_keys (
      id uuid PRIMARY KEY,
      version integer NOT NULL DEFAULT 1,
      name text NOT NULL,
      -- What it may do, as far as the role of who created it still may.
      permissions text[] NOT NULL,
      calls_per_minute integer NOT NULL CHECK (calls_per_minute BETWEEN 1 AND 6000),
      expires_at timestamptz,
      -- Null only within the transaction that creates the key, as the hash.
      created_by uuid REFERENCES admins (id) ON DELETE CASCADE,
      hash bytea UNIQUE,
      -- Works, too, until then.
      previous_hash bytea UNIQUE,
      previous_until timestamptz,
      -- The users that it may act as: it has made them.
      bots uuid[] NOT NULL DEFAULT '{}',
      -- To the minute.
      last_used_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX server_keys_created_by_idx ON server_keys (created_by);
  `);
}
