type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    CREATE TABLE rooms (
      id uuid PRIMARY KEY,
      host_id uuid NOT NULL REFERENCES users (id),
      name text NOT NULL,
      category text NOT NULL,
      language text NOT NULL,
      description text NOT NULL DEFAULT '',
      is_private boolean NOT NULL DEFAULT false,
      password_hash text,
      seat_count integer NOT NULL CHECK (seat_count BETWEEN 1 AND 100),
      status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
      close_reason text,
      created_at timestamptz NOT NULL DEFAULT now(),
      closed_at timestamptz
    );
    CREATE INDEX rooms_open_idx ON rooms (id DESC) WHERE status = 'open';
    CREATE INDEX rooms_category_idx ON rooms (category, id DESC) WHERE status = 'open';
    CREATE INDEX rooms_host_idx ON rooms (host_id);

    -- What of a room's live state must outlive its actor. Written only with the epoch of the newest actor.
    CREATE TABLE room_states (
      room_id uuid PRIMARY KEY REFERENCES rooms (id),
      epoch bigint NOT NULL DEFAULT 0,
      live jsonb
    );

    CREATE TABLE room_moderators (
      room_id uuid NOT NULL REFERENCES rooms (id),
      user_id uuid NOT NULL REFERENCES users (id),
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (room_id, user_id)
    );

    CREATE TABLE room_bans (
      room_id uuid NOT NULL REFERENCES rooms (id),
      user_id uuid NOT NULL REFERENCES users (id),
      banned_by uuid NOT NULL REFERENCES users (id),
      banned_until timestamptz NOT NULL,
      reason text NOT NULL DEFAULT '',
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (room_id, user_id)
    );

    CREATE TABLE room_messages (
      id uuid PRIMARY KEY,
      room_id uuid NOT NULL REFERENCES rooms (id),
      user_id uuid NOT NULL REFERENCES users (id),
      kind text NOT NULL DEFAULT 'text' CHECK (kind IN ('text', 'system')),
      body text NOT NULL,
      client_id text,
      created_at timestamptz NOT NULL DEFAULT now(),
      deleted_at timestamptz,
      deleted_by uuid REFERENCES users (id)
    );
    CREATE INDEX room_messages_history_idx ON room_messages (room_id, id DESC) WHERE deleted_at IS NULL;
    CREATE UNIQUE INDEX room_messages_client_id_key ON room_messages (room_id, user_id, client_id)
      WHERE client_id IS NOT NULL;

    -- The one room that a user is live in. Unlogged: a crash of the database ends every membership.
    CREATE UNLOGGED TABLE room_presence (
      user_id uuid PRIMARY KEY,
      room_id uuid NOT NULL,
      join_id uuid NOT NULL
    );
    CREATE INDEX room_presence_room_idx ON room_presence (room_id);
  `);
}
