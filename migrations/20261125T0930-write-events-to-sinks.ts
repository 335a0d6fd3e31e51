type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
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
  `);
}
