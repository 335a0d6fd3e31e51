type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- "suspended_until": when a suspension ends by itself; null if an administrator must end it. An account that was
    -- suspended while it waited for its deletion keeps "deletion_due_at", and returns to that state.
    ALTER TABLE users
      ADD COLUMN suspended_until timestamptz,
      DROP CONSTRAINT users_deletion_due,
      ADD CONSTRAINT users_deletion_due CHECK (deletion_due_at IS NULL OR status IN ('deletion_pending', 'suspended')),
      ADD CONSTRAINT users_suspended_until CHECK (suspended_until IS NULL OR status = 'suspended');
    CREATE INDEX users_suspended_until_idx ON users (suspended_until) WHERE suspended_until IS NOT NULL;
  `);
}
