type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Indexes for finding all data of a deleted user. Rows that are emptied but kept drop out of the index.
    CREATE INDEX sessions_owner_idx ON sessions (user_id);
    CREATE INDEX room_messages_writer_idx ON room_messages (user_id) WHERE body <> '';
    CREATE INDEX room_moderators_user_idx ON room_moderators (user_id);
    CREATE INDEX room_bans_user_idx ON room_bans (user_id);
    CREATE INDEX room_bans_by_idx ON room_bans (banned_by);
    CREATE INDEX voice_grants_user_idx ON voice_grants (user_id);
    CREATE INDEX friend_requests_sender_idx ON friend_requests (sender_id);
    CREATE INDEX friend_requests_recipient_idx ON friend_requests (recipient_id);
    CREATE INDEX posts_writer_idx ON posts (author_id) WHERE content <> '' OR media <> '[]';
    CREATE INDEX support_tickets_stranger_idx ON support_tickets (lower(email)) WHERE user_id IS NULL;
  `);
}
