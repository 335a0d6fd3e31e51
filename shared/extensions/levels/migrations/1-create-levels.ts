export const up = (run: (sql: string) => Promise<void>): Promise<void> =>
  run(`
    CREATE TABLE levels_steps (
      id uuid PRIMARY KEY,
      version integer NOT NULL DEFAULT 1,
      kind text NOT NULL,
      level integer NOT NULL CHECK (level > 0),
      coins bigint NOT NULL CHECK (coins > 0),
      title text NOT NULL,
      badge_url text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (kind, level)
    );
    -- Each gift that counts, once, whenever and however often its event is handled.
    CREATE TABLE counted (id uuid PRIMARY KEY, day date NOT NULL DEFAULT current_date);
    CREATE INDEX counted_day_idx ON counted (day);
    CREATE TABLE totals (
      user_id uuid NOT NULL,
      kind text NOT NULL CHECK (kind IN ('giving', 'hosting')),
      coins bigint NOT NULL CHECK (coins >= 0),
      -- The highest that was reached and told.
      level integer NOT NULL DEFAULT 0,
      PRIMARY KEY (user_id, kind)
    );
  `);
