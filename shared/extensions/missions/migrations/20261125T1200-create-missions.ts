export const up = (run: (sql: string) => Promise<void>): Promise<void> =>
  run(`
    CREATE TABLE missions_tasks (
      id uuid PRIMARY KEY,
      version integer NOT NULL DEFAULT 1,
      title text NOT NULL,
      kind text NOT NULL,
      goal integer NOT NULL CHECK (goal > 0),
      coins bigint NOT NULL CHECK (coins > 0),
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );
    -- Each domain event that counts, once, whenever and however often it is handled.
    CREATE TABLE counted (
      kind text NOT NULL,
      key text NOT NULL,
      user_id uuid NOT NULL,
      day date NOT NULL,
      PRIMARY KEY (kind, key)
    );
    CREATE INDEX counted_user_idx ON counted (user_id, day, kind);
    CREATE INDEX counted_day_idx ON counted (day);
    -- What rewards are paid from.
    CREATE TABLE budget (single boolean PRIMARY KEY DEFAULT true CHECK (single), coins bigint NOT NULL CHECK (coins >= 0));
    INSERT INTO budget (coins) VALUES (0);
    CREATE TABLE funds (id uuid PRIMARY KEY, coins bigint NOT NULL CHECK (coins > 0), created_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE rewards (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL,
      day date NOT NULL,
      -- A task, or check_in.
      mission text NOT NULL,
      coins bigint NOT NULL CHECK (coins > 0),
      UNIQUE (user_id, day, mission)
    );
  `);
