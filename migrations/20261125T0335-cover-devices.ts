type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The app's ID of the device, as a keyed hash.
    ALTER TABLE sessions ADD COLUMN device_hash bytea;

    -- The devices and networks that a sanction also covers, as keyed hashes, while it holds.
    ALTER TABLE sanctions ADD COLUMN covers text[] NOT NULL DEFAULT '{}';
    CREATE TABLE sanction_targets (
      sanction_id uuid NOT NULL REFERENCES sanctions,
      kind text NOT NULL CHECK (kind IN ('device', 'network')),
      hash bytea NOT NULL,
      PRIMARY KEY (sanction_id, hash)
    );
    CREATE INDEX sanction_targets_hash_idx ON sanction_targets (hash);
  `);
}
