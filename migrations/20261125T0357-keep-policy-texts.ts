export async function up(run: (sql: string) => Promise<void>): Promise<void> {
  await run(`
    CREATE TABLE policy_texts (
      id uuid PRIMARY KEY,
      key text NOT NULL,
      language text NOT NULL,
      title text NOT NULL,
      body_markdown text NOT NULL,
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (key, language)
    )
  `);
}
