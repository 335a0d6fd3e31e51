type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What somebody is told of what others did. Names nobody in words: who did it is read from "actor_id" when it is shown.
    -- While it is unread, more of the same group ("group_key": the likes of one post, new followers) grows it: "events" is
    -- how many they are, "coins" what they were worth, "actor_id", "data" and "created_at" are of the newest.
    CREATE TABLE notifications (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id),
      type text NOT NULL,
      group_key text NOT NULL,
      actor_id uuid NOT NULL REFERENCES users (id),
      events bigint NOT NULL DEFAULT 1 CHECK (events > 0),
      coins coins NOT NULL DEFAULT 0 CHECK (coins >= 0),
      data jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(data) = 'object'),
      read_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE UNIQUE INDEX notifications_group_key ON notifications (user_id, group_key) WHERE read_at IS NULL;
    CREATE INDEX notifications_list_idx ON notifications (user_id, created_at DESC, id DESC) INCLUDE (actor_id);
    CREATE INDEX notifications_unread_idx ON notifications (user_id, created_at DESC, id DESC) INCLUDE (actor_id)
      WHERE read_at IS NULL;
    CREATE INDEX notifications_actor_idx ON notifications (actor_id);
    CREATE INDEX notifications_age_idx ON notifications (created_at);

    -- What somebody has been told of, or would have been but for the group that grew: never of the same thing twice.
    CREATE TABLE notification_events (
      user_id uuid NOT NULL REFERENCES users (id),
      event_key text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (user_id, event_key)
    );
    CREATE INDEX notification_events_age_idx ON notification_events (created_at);
  `);
}
