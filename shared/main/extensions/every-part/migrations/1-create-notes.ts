export const up = (run: (sql: string) => Promise<void>): Promise<void> =>
  run(`
    CREATE TABLE every_part_notes (
      id uuid PRIMARY KEY,
      version integer NOT NULL DEFAULT 1,
      title text NOT NULL,
      place integer NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE authors (user_id uuid NOT NULL, title text NOT NULL);
    CREATE TABLE seen (what text NOT NULL, id uuid, at timestamptz NOT NULL DEFAULT now());
  `);
