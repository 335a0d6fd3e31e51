type Run = (sql: string) => Promise<void>;

/** Deliveries of resellers and of the operator's endpoints are one table. */
export const compatible = {
  "webhook_deliveries.webhook_deliveries_owner_check": "The previous release always writes an endpoint_id.",
};

export async function up(run: Run): Promise<void> {
  await run(`
    -- What the operator's servers have asked for, in the order in which they receive it.
    CREATE TABLE event_log (
      position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id uuid NOT NULL,
      kind text NOT NULL,
      -- Events with the same key stay in order.
      key text NOT NULL,
      data jsonb NOT NULL,
      -- When it happened.
      created_at timestamptz NOT NULL
    );
    CREATE INDEX event_log_created_idx ON event_log (created_at);

    -- Where the operator's servers hear of what happens.
    CREATE TABLE event_endpoints (
      id uuid PRIMARY KEY,
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      url text NOT NULL,
      kinds text[] NOT NULL,
      -- { field, values }: only events whose data have one of these values in this field.
      filter jsonb,
      ordered boolean NOT NULL,
      -- Null only within the transaction that creates the endpoint.
      secret_sealed text,
      -- Signs, too, until then.
      previous_secret_sealed text,
      previous_until timestamptz,
      -- The last event of the log that it was given.
      position bigint NOT NULL DEFAULT 0,
      -- How many events were deleted before it was given them.
      lost bigint NOT NULL DEFAULT 0,
      failing_since timestamptz,
      disabled_at timestamptz
    );

    -- Where the event log is written to, by the URLs of EVENT_SINKS.
    CREATE TABLE event_sinks (
      id uuid PRIMARY KEY DEFAULT uuidv7(),
      -- The URL without its password.
      name text NOT NULL UNIQUE,
      -- The last event that is safe there.
      position bigint NOT NULL,
      -- The end of a batch that was begun.
      batch_to bigint,
      -- How many events were deleted before they were written.
      lost bigint NOT NULL DEFAULT 0,
      -- Whether it is configured.
      active boolean NOT NULL DEFAULT true,
      -- The process that writes to it, and until when no other does.
      owner uuid,
      owned_until timestamptz,
      written_at timestamptz,
      error text,
      created_at timestamptz NOT NULL DEFAULT now()
    );

    -- A delivery is to a webhook of a user, or to an endpoint of the operator.
    ALTER TABLE webhook_deliveries ALTER COLUMN endpoint_id DROP NOT NULL,
      ADD COLUMN event_endpoint_id uuid REFERENCES event_endpoints (id) ON DELETE CASCADE,
      -- Of the event log: the ID that its header has, what it is ordered by, and its place.
      ADD COLUMN event_id uuid,
      ADD COLUMN event_key text,
      ADD COLUMN event_position bigint,
      ADD CONSTRAINT webhook_deliveries_owner_check CHECK (num_nonnulls(endpoint_id, event_endpoint_id) = 1) NOT VALID,
      ADD CONSTRAINT webhook_deliveries_event_check
        CHECK (num_nonnulls(event_endpoint_id, event_id, event_key, event_position) IN (0, 4)) NOT VALID;
  `);
}
