type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Users with a token for a room's media. "media_right" is the permission last sent to the media server; null: it may have
    -- changed and must be sent again, from "due_at" on. "absent_since": the user is connected to the media without being in the
    -- room, because the room has a new actor, and may still come back.
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

    -- Rooms whose participants on the media server are compared with their members, until no member can come back.
    CREATE TABLE voice_watches (
      room_id uuid PRIMARY KEY REFERENCES rooms (id),
      look_at timestamptz NOT NULL,
      watch_until timestamptz NOT NULL
    );
    CREATE INDEX voice_watches_look_idx ON voice_watches (look_at);
  `);
}
