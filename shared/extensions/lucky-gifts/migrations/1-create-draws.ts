import { budgetTables } from "#shared/extension/index.ts";

export const up = (run: (sql: string) => Promise<void>): Promise<void> =>
  run(`
    ${budgetTables}
    CREATE TABLE lucky_gifts_gifts (
      id uuid PRIMARY KEY,
      version integer NOT NULL DEFAULT 1,
      gift_id uuid NOT NULL UNIQUE,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );
    -- One is open. Its hash is public; the seed is, once it is closed.
    CREATE TABLE seeds (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      seed text NOT NULL,
      draws integer NOT NULL DEFAULT 0,
      opened_at timestamptz NOT NULL DEFAULT now(),
      closed_at timestamptz
    );
    CREATE UNIQUE INDEX seeds_open_idx ON seeds ((true)) WHERE closed_at IS NULL;
    CREATE INDEX seeds_opened_idx ON seeds (opened_at DESC);
    INSERT INTO seeds (seed) VALUES (replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));
    -- What became of each gift whose turn it was, once. The ID is that of the gift's transaction.
    CREATE TABLE draws (
      id uuid PRIMARY KEY,
      room_id uuid NOT NULL,
      user_id uuid NOT NULL,
      -- The bought coins of the gift: what is played for.
      stake bigint NOT NULL CHECK (stake >= 0),
      contribution bigint NOT NULL CHECK (contribution >= 0),
      -- Null if nothing was drawn: the gift was of granted coins, or the pool had too few.
      seed_id uuid REFERENCES seeds,
      place integer,
      number integer,
      odds text[],
      times integer NOT NULL CHECK (times >= 0),
      coins bigint GENERATED ALWAYS AS (stake * times) STORED,
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (seed_id, place)
    );
  `);
