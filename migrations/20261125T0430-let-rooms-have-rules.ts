type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
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
