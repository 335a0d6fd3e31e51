type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The events in a notification that can be withdrawn: a like, a follow. What a notification shows of one event is what the
    -- latest of those left shows. "place" is their order.
    CREATE TABLE notification_parts (
      user_id uuid NOT NULL REFERENCES users (id),
      event_key text NOT NULL,
      notification_id uuid NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
      actor_id uuid NOT NULL REFERENCES users (id),
      data jsonb NOT NULL,
      place timestamptz NOT NULL,
      PRIMARY KEY (user_id, event_key)
    );
    CREATE INDEX notification_parts_notification_idx ON notification_parts (notification_id, place DESC);
    CREATE INDEX notification_parts_actor_idx ON notification_parts (actor_id);
  `);
}
