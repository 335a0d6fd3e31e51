type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What people may not write. Every process keeps those that are enabled in memory.
    CREATE TABLE rules (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE,
      enabled boolean NOT NULL DEFAULT true,
      scope jsonb NOT NULL,
      trigger jsonb NOT NULL,
      action jsonb NOT NULL,
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );

    -- What may not be said in a room: by its host and moderators, until it is closed.
    CREATE TABLE room_rules (
      room_id uuid PRIMARY KEY REFERENCES rooms,
      rules jsonb NOT NULL,
      changed_by uuid REFERENCES users,
      changed_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX room_rules_changer_idx ON room_rules (changed_by);
  `);
}
