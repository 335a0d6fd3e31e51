type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- One per pair of users. All changes of a conversation lock its row first, so that messages, counters, and read marks are
    -- consistent.
    CREATE TABLE conversations (
      id uuid PRIMARY KEY,
      low_user_id uuid NOT NULL REFERENCES users (id),
      high_user_id uuid NOT NULL REFERENCES users (id),
      started_by uuid NOT NULL REFERENCES users (id),
      message_count bigint NOT NULL DEFAULT 0,
      last_message_id uuid,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT conversations_pair_key UNIQUE (low_user_id, high_user_id),
      CONSTRAINT conversations_pair_order CHECK (low_user_id < high_user_id)
    );
    CREATE INDEX conversations_started_idx ON conversations (started_by, created_at);

    -- A conversation as seen by one of its users. "active_at" orders the inbox. Null: not in the inbox, because the other user
    -- opened the conversation and it has no messages yet.
    CREATE TABLE conversation_members (
      conversation_id uuid NOT NULL REFERENCES conversations (id),
      user_id uuid NOT NULL REFERENCES users (id),
      peer_id uuid NOT NULL REFERENCES users (id),
      unread bigint NOT NULL DEFAULT 0 CHECK (unread >= 0),
      active_at timestamptz,
      PRIMARY KEY (conversation_id, user_id)
    );
    CREATE INDEX conversation_members_inbox_idx
      ON conversation_members (user_id, active_at DESC, conversation_id DESC) INCLUDE (peer_id)
      WHERE active_at IS NOT NULL;

    -- IDs increase in the order in which the messages of a conversation were stored.
    CREATE TABLE direct_messages (
      id uuid PRIMARY KEY,
      conversation_id uuid NOT NULL REFERENCES conversations (id),
      sender_id uuid NOT NULL REFERENCES users (id),
      body text NOT NULL,
      attachment_url text,
      client_id text,
      created_at timestamptz NOT NULL,
      read_at timestamptz
    );
    CREATE INDEX direct_messages_history_idx ON direct_messages (conversation_id, id DESC);
    CREATE INDEX direct_messages_unread_idx ON direct_messages (conversation_id, sender_id, id DESC)
      WHERE read_at IS NULL;
    CREATE UNIQUE INDEX direct_messages_client_id_key ON direct_messages (conversation_id, sender_id, client_id)
      WHERE client_id IS NOT NULL;
  `);
}
