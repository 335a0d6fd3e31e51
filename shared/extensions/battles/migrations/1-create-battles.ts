import { budgetTables } from "#shared/extension/index.ts";

export const up = (run: (sql: string) => Promise<void>): Promise<void> =>
  run(`
    ${budgetTables}
    CREATE TABLE battles (
      id uuid PRIMARY KEY,
      room_id uuid NOT NULL,
      rival_room_id uuid NOT NULL,
      status text NOT NULL DEFAULT 'invited'
        CHECK (status IN ('invited', 'running', 'ended', 'declined', 'withdrawn', 'expired')),
      seconds integer NOT NULL CHECK (seconds > 0),
      -- Until when the invitation can be accepted.
      expires_at timestamptz NOT NULL,
      starts_at timestamptz,
      ends_at timestamptz,
      -- The hosts when it started.
      host_id uuid,
      rival_host_id uuid,
      score bigint NOT NULL DEFAULT 0,
      rival_score bigint NOT NULL DEFAULT 0,
      -- Null for a draw.
      winner_room_id uuid,
      rewarded_id uuid,
      reward bigint NOT NULL DEFAULT 0 CHECK (reward >= 0),
      created_at timestamptz NOT NULL DEFAULT now(),
      CHECK (room_id <> rival_room_id)
    );
    CREATE UNIQUE INDEX battles_invited_idx ON battles (room_id) WHERE status = 'invited';
    CREATE INDEX battles_open_idx ON battles (status) WHERE status IN ('invited', 'running');
    CREATE INDEX battles_room_idx ON battles (room_id, created_at DESC);
    CREATE INDEX battles_rival_idx ON battles (rival_room_id, created_at DESC);
    -- A room is in one battle at a time.
    CREATE TABLE fighting (room_id uuid PRIMARY KEY, battle_id uuid NOT NULL REFERENCES battles);
    CREATE INDEX fighting_battle_idx ON fighting (battle_id);
  `);
