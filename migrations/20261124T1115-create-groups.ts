type Run = (sql: string) => Promise<void>;

/** What the release before this migration may go on beside. */
export const compatible = {
  "conversations.conversations_kind_check": "The release before writes conversations of two only, which keep it.",
  "conversation_members.conversation_members_role_check": "The release before writes no roles.",
  "conversations.conversations_show_media": "It refuses nothing: it counts what shows media.",
};

export async function up(run: Run): Promise<void> {
  await run(`
    -- "active_at": when the last message was sent. The groups of a user are few, and sorted by it when they are listed:
    -- a message changes no row of its readers.
    ALTER TABLE conversations
      ADD COLUMN kind text NOT NULL DEFAULT 'direct',
      ADD COLUMN name text,
      ADD COLUMN picture_url text,
      ADD COLUMN owner_id uuid REFERENCES users,
      ADD COLUMN member_count integer NOT NULL DEFAULT 2,
      ADD COLUMN active_at timestamptz,
      ALTER COLUMN low_user_id DROP NOT NULL,
      ALTER COLUMN high_user_id DROP NOT NULL;
    ALTER TABLE conversations ADD CONSTRAINT conversations_kind_check CHECK (CASE kind
      WHEN 'direct' THEN low_user_id IS NOT NULL AND high_user_id IS NOT NULL
      WHEN 'group' THEN low_user_id IS NULL AND high_user_id IS NULL AND name IS NOT NULL
      ELSE false END) NOT VALID;

    -- Of a group, "peer_id" is null, and what is unread is what was sent beyond "read_count". A member who has
    -- left keeps the row, by which their messages are found.
    ALTER TABLE conversation_members
      ADD COLUMN role text,
      ADD COLUMN muted boolean NOT NULL DEFAULT false,
      ADD COLUMN read_count bigint NOT NULL DEFAULT 0,
      ADD COLUMN read_at timestamptz,
      ADD COLUMN joined_at timestamptz,
      ADD COLUMN left_at timestamptz,
      -- An owner or admin removed them: no invitation brings them back.
      ADD COLUMN removed boolean NOT NULL DEFAULT false,
      -- Null for those who came by themselves.
      ADD COLUMN added_by uuid REFERENCES users,
      ALTER COLUMN peer_id DROP NOT NULL;

    ALTER TABLE direct_messages ADD COLUMN mentions uuid[];

    CREATE TABLE conversation_invites (
      id uuid PRIMARY KEY,
      conversation_id uuid NOT NULL REFERENCES conversations,
      code text NOT NULL UNIQUE,
      created_by uuid NOT NULL REFERENCES users,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX conversation_invites_conversation_idx ON conversation_invites (conversation_id, created_at DESC);
    CREATE INDEX conversation_invites_creator_idx ON conversation_invites (created_by);
    CREATE INDEX conversation_invites_expiry_idx ON conversation_invites (expires_at);
  `);
  await run(`ALTER TABLE conversation_members ADD CONSTRAINT conversation_members_role_check
    CHECK (role IN ('owner', 'admin', 'member')) NOT VALID`);
  await run(`CREATE TRIGGER conversations_show_media AFTER INSERT OR DELETE OR UPDATE OF picture_url ON conversations
    FOR EACH ROW EXECUTE FUNCTION count_media_uses('picture_url')`);
}
