type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Who holds a token for a room's media. "media_right" is what the media server was last told of that person; null means
    -- that it may be another one now and has to be asked for and told, from "due_at" on. "absent_since": connected to the
    -- media without being in the room, and no change says why: the room's actor was made anew and he may come back.
    CREATE TABLE voice_grants (
      room_id uuid NOT NULL REFERENCES rooms (id),
      user_id uuid NOT NULL REFERENCES users (id),
      media_right text CHECK (media_right IN ('publish', 'listen')),
      changes integer NOT NULL DEFAULT 0,
      changed_at timestamptz NOT NULL DEFAULT now(),
      due_at timestamptz NOT NULL DEFAULT now(),
      leased_until timestamptz,
      attempts integer NOT NULL DEFAULT 0,
      absent_since timestamptz,
      PRIMARY KEY (room_id, user_id)
    );
    CREATE INDEX voice_grants_due_idx ON voice_grants (due_at) WHERE media_right IS NULL;

    -- Rooms whose participants on the media server are compared with who may be there, until nobody can come back.
    CREATE TABLE voice_watches (
      room_id uuid PRIMARY KEY REFERENCES rooms (id),
      look_at timestamptz NOT NULL,
      watch_until timestamptz NOT NULL
    );
    CREATE INDEX voice_watches_look_idx ON voice_watches (look_at);
  `);
}
