type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    ALTER TABLE gifts
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
    ALTER TABLE gift_categories
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

    CREATE INDEX audit_log_target_idx ON audit_log (target_type, target_id, id);
  `);
}
