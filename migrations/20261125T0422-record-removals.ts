type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What administrators, judges, and reviews have taken from view, so that it can come back as it was.
    CREATE TABLE removals (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      kind text NOT NULL CHECK (kind IN ('post', 'comment', 'room_message', 'direct_message', 'held')),
      content_id uuid NOT NULL,
      -- What it said.
      text text NOT NULL,
      -- What the removal took out of a message.
      kept jsonb,
      -- Null: a judge.
      removed_by uuid REFERENCES admins,
      appeal_id uuid REFERENCES appeals,
      created_at timestamptz NOT NULL DEFAULT now(),
      restored_at timestamptz
    );
    CREATE INDEX removals_user_idx ON removals (user_id, id);
    CREATE INDEX removals_content_idx ON removals (content_id);
    CREATE INDEX removals_kept_idx ON removals (created_at) WHERE kept IS NOT NULL;
    CREATE TRIGGER removals_show_media AFTER INSERT OR DELETE OR UPDATE OF kept ON removals
      FOR EACH ROW EXECUTE FUNCTION count_media_uses('kept');

    ALTER TABLE appeals ALTER COLUMN sanction_id DROP NOT NULL;
    ALTER TABLE appeals ADD COLUMN removal_id uuid, ADD COLUMN about text NOT NULL DEFAULT '';
    ALTER TABLE appeals ADD CONSTRAINT appeals_removal_id_fkey FOREIGN KEY (removal_id) REFERENCES removals NOT VALID;
  `);
}
