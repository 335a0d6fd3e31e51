type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- A domain event leaves "outbox" when it is routed: one row here for what is recorded because of it, and one for each
    -- target that it is pushed to. Only the routing process inserts rows with "attempts" = 0, one batch after the other,
    -- so they become visible in the order of their ids.
    CREATE TABLE outbox_deliveries (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      topic text NOT NULL,
      payload jsonb NOT NULL,
      slot smallint NOT NULL,
      target text NOT NULL,
      attempts integer NOT NULL DEFAULT 0,
      next_at timestamptz NOT NULL DEFAULT now(),
      created_at timestamptz NOT NULL
    );
    CREATE INDEX outbox_deliveries_slot_idx ON outbox_deliveries (slot, id);
    CREATE INDEX outbox_deliveries_retry_idx ON outbox_deliveries (next_at) WHERE attempts > 0;

    -- What has failed too often. An administrator can look at it and have it tried again.
    CREATE TABLE outbox_dead_letters (
      id bigint PRIMARY KEY,
      topic text NOT NULL,
      payload jsonb NOT NULL,
      slot smallint NOT NULL,
      target text NOT NULL,
      attempts integer NOT NULL,
      error text NOT NULL,
      created_at timestamptz NOT NULL,
      died_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX outbox_dead_letters_age_idx ON outbox_dead_letters (died_at);

    -- Everything that has not reached its target yet; "target" is null before an event is routed.
    CREATE VIEW undelivered_events AS
      SELECT topic, payload, NULL::text AS target FROM outbox
      UNION ALL SELECT topic, payload, target FROM outbox_deliveries
      UNION ALL SELECT topic, payload, target FROM outbox_dead_letters;

    -- An event is recorded by the transaction that deletes it here, so nothing has to remember which ones were counted.
    -- What was counted and still waits to be pushed must not be counted again.
    DELETE FROM outbox WHERE id IN (SELECT fact_id FROM leaderboard_facts);
    DROP TABLE leaderboard_facts;
    ALTER TABLE outbox DROP COLUMN attempts, DROP COLUMN next_at;

    -- Rows live for milliseconds: clean up by their number, not by a share of a table that is empty most of the time.
    ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
    ALTER TABLE outbox_deliveries SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

    -- The last notification of each type that was emailed to a user: the next one of the type waits a day.
    CREATE TABLE notification_mails (
      user_id uuid NOT NULL REFERENCES users (id),
      type text NOT NULL,
      about uuid NOT NULL,
      mailed_at timestamptz NOT NULL,
      PRIMARY KEY (user_id, type)
    );

    -- The setting had no effect so far, and was on for every user: none of them has asked for these emails.
    UPDATE users SET settings = jsonb_set(settings, '{notifications,email}', 'false')
    WHERE settings #> '{notifications,email}' = 'true';

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
