type Run = (sql: string) => Promise<void>;

const why = "It refuses nothing: it counts what shows media.";
/** What the release before this migration may go on beside. */
export const compatible = {
  "room_messages.room_messages_kind_check": "It allows all that it allowed before.",
  ...Object.fromEntries(
    ["room_messages", "direct_messages"].flatMap((table) => [
      [`${table}.${table}_show_media`, why],
      [`${table}.${table}_hide_media`, why],
    ]),
  ),
};

export async function up(run: Run): Promise<void> {
  await run(`
    ALTER TABLE room_messages
      ADD COLUMN media jsonb,
      ADD COLUMN reply_to uuid,
      ADD COLUMN mentions uuid[],
      ADD COLUMN edited_at timestamptz,
      -- How many of each reaction: the sums of message_reactions.
      ADD COLUMN reactions jsonb;
    ALTER TABLE room_messages DROP CONSTRAINT room_messages_kind_check;
    ALTER TABLE room_messages ADD CONSTRAINT room_messages_kind_check
      CHECK (kind IN ('text', 'image', 'voice', 'file', 'sticker', 'system')) NOT VALID;

    ALTER TABLE rooms
      ADD COLUMN announcement text NOT NULL DEFAULT '',
      ADD COLUMN welcome text NOT NULL DEFAULT '',
      ADD COLUMN slow_mode_seconds smallint NOT NULL DEFAULT 0,
      ADD COLUMN links_allowed boolean NOT NULL DEFAULT true;

    ALTER TABLE direct_messages
      ADD COLUMN kind text NOT NULL DEFAULT 'text',
      ADD COLUMN media jsonb,
      ADD COLUMN reply_to uuid,
      ADD COLUMN edited_at timestamptz,
      ADD COLUMN deleted_at timestamptz,
      ADD COLUMN reactions jsonb;
    ALTER TABLE direct_messages ADD CONSTRAINT direct_messages_kind_check
      CHECK (kind IN ('text', 'image', 'voice', 'file', 'sticker', 'system')) NOT VALID;

    -- Those of messages in rooms and in conversations.
    CREATE TABLE message_reactions (
      message_id uuid NOT NULL,
      emoji text NOT NULL,
      user_id uuid NOT NULL REFERENCES users,
      PRIMARY KEY (message_id, user_id, emoji)
    );
    CREATE INDEX message_reactions_user_idx ON message_reactions (user_id);

    -- What edited messages said before, for reports.
    CREATE TABLE message_edits (
      message_id uuid NOT NULL,
      user_id uuid NOT NULL REFERENCES users,
      body text NOT NULL,
      edited_at timestamptz NOT NULL,
      PRIMARY KEY (message_id, edited_at)
    );
    CREATE INDEX message_edits_user_idx ON message_edits (user_id);

    CREATE TABLE message_pins (
      message_id uuid PRIMARY KEY,
      -- The room or conversation.
      place_id uuid NOT NULL,
      pinned_by uuid NOT NULL REFERENCES users,
      pinned_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX message_pins_place_idx ON message_pins (place_id, pinned_at);
    CREATE INDEX message_pins_user_idx ON message_pins (pinned_by);
  `);
  for (const table of ["room_messages", "direct_messages"]) {
    await run(`CREATE TRIGGER ${table}_show_media AFTER INSERT ON ${table}
      FOR EACH ROW WHEN (NEW.media IS NOT NULL) EXECUTE FUNCTION count_media_uses('media')`);
    await run(`CREATE TRIGGER ${table}_hide_media AFTER DELETE OR UPDATE OF media ON ${table}
      FOR EACH ROW WHEN (OLD.media IS NOT NULL) EXECUTE FUNCTION count_media_uses('media')`);
  }
}
