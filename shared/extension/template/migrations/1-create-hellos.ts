export const up = (run: (sql: string) => Promise<void>): Promise<void> =>
  run("CREATE TABLE hellos (user_id uuid PRIMARY KEY, said integer NOT NULL)");
