export const up = (run: (sql: string) => Promise<void>): Promise<void> =>
  run(`
    CREATE TABLE stakes (
      id uuid PRIMARY KEY,
      lobby_id uuid NOT NULL,
      user_id uuid NOT NULL,
      coins bigint NOT NULL,
      paid_to uuid,
      UNIQUE (lobby_id, user_id)
    );
  `);
