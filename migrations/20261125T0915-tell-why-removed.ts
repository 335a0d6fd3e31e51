type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What the user was told.
    ALTER TABLE removals ADD COLUMN reason text NOT NULL DEFAULT '';
    ALTER TABLE removals DROP CONSTRAINT removals_kind_check,
      ADD CONSTRAINT removals_kind_check
        CHECK (kind IN ('post', 'comment', 'room_message', 'direct_message', 'held', 'picture')) NOT VALID;
  `);
}
