export const up = (run: (sql: string) => Promise<void>): Promise<void> =>
  run(`
    CREATE TABLE packets (
      id uuid PRIMARY KEY,
      room_id uuid NOT NULL,
      sender_id uuid NOT NULL,
      kind text NOT NULL CHECK (kind IN ('equal', 'drawn')),
      coins bigint NOT NULL,
      shares integer NOT NULL CHECK (shares BETWEEN 1 AND coins),
      -- Coins of the sender's that were bought: they are when they come back, too.
      bought bigint NOT NULL,
      coins_left bigint NOT NULL CHECK (coins_left >= 0),
      shares_left integer NOT NULL CHECK (shares_left >= 0),
      expires_at timestamptz NOT NULL,
      -- Set when the window is over. What was left then has gone back.
      returned bigint,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX packets_sender_idx ON packets (sender_id);
    CREATE TABLE claims (
      id uuid PRIMARY KEY,
      packet_id uuid NOT NULL REFERENCES packets,
      user_id uuid NOT NULL,
      coins bigint NOT NULL CHECK (coins > 0),
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (packet_id, user_id)
    );
  `);
