type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    CREATE TABLE game_lobbies (
      id uuid PRIMARY KEY,
      type text NOT NULL,
      room_id uuid REFERENCES rooms (id),
      host_id uuid NOT NULL REFERENCES users (id),
      status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'in_game', 'finished', 'cancelled')),
      session_id uuid,
      -- Written only with the epoch of the newest actor: [{ userId, ready }] in the order of joining.
      epoch bigint NOT NULL DEFAULT 0,
      players jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX game_lobbies_room_idx ON game_lobbies (room_id, id DESC) WHERE status IN ('open', 'in_game');
    CREATE INDEX game_lobbies_host_idx ON game_lobbies (host_id) WHERE status IN ('open', 'in_game');
    CREATE INDEX game_lobbies_open_idx ON game_lobbies (updated_at) WHERE status = 'open';

    CREATE TABLE game_sessions (
      id uuid PRIMARY KEY,
      lobby_id uuid NOT NULL REFERENCES game_lobbies (id),
      type text NOT NULL,
      room_id uuid REFERENCES rooms (id),
      status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'finished', 'abandoned')),
      -- Secret until the game is over. Its hash is public from the start.
      seed text NOT NULL,
      epoch bigint NOT NULL DEFAULT 0,
      -- The state of the game after the last action, with the numbers drawn so far.
      state jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      finished_at timestamptz
    );
    CREATE INDEX game_sessions_active_idx ON game_sessions (id) WHERE status = 'active';
    CREATE INDEX game_sessions_room_idx ON game_sessions (room_id) WHERE status = 'active';

    CREATE TABLE game_players (
      session_id uuid NOT NULL REFERENCES game_sessions (id),
      user_id uuid NOT NULL REFERENCES users (id),
      score integer,
      place integer,
      PRIMARY KEY (session_id, user_id)
    );
    CREATE INDEX game_players_history_idx ON game_players (user_id, session_id DESC);
  `);
}
