type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Notifications. They contain no names: the user is read by "actor_id" when a notification is shown. While a notification
    -- is unread, more events of its group ("group_key": likes of one post, new followers) are added to it: "events" is their
    -- number, "coins" their value; "actor_id", "data", and "created_at" are those of the latest event.
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

    -- The events that a user has been notified of, alone or in a group, so that none causes a notification twice.
    CREATE TABLE notification_events (
      user_id uuid NOT NULL REFERENCES users (id),
      event_key text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (user_id, event_key)
    );
    CREATE INDEX notification_events_age_idx ON notification_events (created_at);
  `);
}
