type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Whether its author sees it as sent, rather than as held.
    ALTER TABLE held_content ADD COLUMN shadowed boolean NOT NULL DEFAULT false;
  `);
}
