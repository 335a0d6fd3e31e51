type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    CREATE TABLE user_follows (
      follower_id uuid NOT NULL REFERENCES users (id),
      followed_id uuid NOT NULL REFERENCES users (id),
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (follower_id, followed_id),
      CONSTRAINT user_follows_not_oneself CHECK (follower_id <> followed_id)
    );
    CREATE INDEX user_follows_following_idx ON user_follows (follower_id, created_at DESC, followed_id);
    CREATE INDEX user_follows_followers_idx ON user_follows (followed_id, created_at DESC, follower_id);

    -- A friendship is two rows, one per user, so that the friends of each user are adjacent.
    CREATE TABLE friendships (
      user_id uuid NOT NULL REFERENCES users (id),
      friend_id uuid NOT NULL REFERENCES users (id),
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (user_id, friend_id),
      CONSTRAINT friendships_not_oneself CHECK (user_id <> friend_id)
    );
    CREATE INDEX friendships_list_idx ON friendships (user_id, created_at DESC, friend_id);

    CREATE TABLE friend_requests (
      id uuid PRIMARY KEY,
      sender_id uuid NOT NULL REFERENCES users (id),
      recipient_id uuid NOT NULL REFERENCES users (id),
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'accepted', 'rejected', 'cancelled')),
      created_at timestamptz NOT NULL DEFAULT now(),
      answered_at timestamptz,
      CONSTRAINT friend_requests_not_oneself CHECK (sender_id <> recipient_id),
      CONSTRAINT friend_requests_answered CHECK ((status = 'pending') = (answered_at IS NULL))
    );
    -- At most one request is pending between two users, in either direction.
    CREATE UNIQUE INDEX friend_requests_pending_key
      ON friend_requests (least(sender_id, recipient_id), greatest(sender_id, recipient_id)) WHERE status = 'pending';
    CREATE INDEX friend_requests_incoming_idx ON friend_requests (recipient_id, id DESC) WHERE status = 'pending';
    CREATE INDEX friend_requests_sent_idx ON friend_requests (sender_id, id DESC) WHERE status = 'pending';
    -- Answered requests are pruned after a while.
    CREATE INDEX friend_requests_answered_idx ON friend_requests (answered_at) WHERE status <> 'pending';

    CREATE INDEX user_blocks_list_idx ON user_blocks (blocker_id, created_at DESC, blocked_id);

    -- The number of followers and followed users. A separate table, because each change would copy the wide rows of users. A
    -- missing row means zero. Written by the statement that writes user_follows.
    CREATE TABLE user_counters (
      user_id uuid PRIMARY KEY REFERENCES users (id),
      followers_count bigint NOT NULL DEFAULT 0 CHECK (followers_count >= 0),
      following_count bigint NOT NULL DEFAULT 0 CHECK (following_count >= 0)
    );
  `);
}
