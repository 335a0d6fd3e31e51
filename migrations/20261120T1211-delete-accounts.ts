type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- "deletion_due_at": when an account that is to be deleted will be. "erased_at": when nothing of a deleted account was
    -- left but its bare id; null while that is under way.
    ALTER TABLE users
      ADD COLUMN deletion_due_at timestamptz,
      ADD COLUMN erased_at timestamptz,
      ALTER COLUMN email DROP NOT NULL,
      ADD CONSTRAINT users_email_until_deleted CHECK (email IS NOT NULL OR status = 'deleted'),
      ADD CONSTRAINT users_deletion_due CHECK (deletion_due_at IS NULL OR status = 'deletion_pending'),
      ADD CONSTRAINT users_erased_deleted CHECK (erased_at IS NULL OR status = 'deleted');
    CREATE INDEX users_deletion_due_idx ON users (deletion_due_at) WHERE status = 'deletion_pending';
    CREATE INDEX users_erasing_idx ON users (id) WHERE status = 'deleted' AND erased_at IS NULL;
  `);
}
