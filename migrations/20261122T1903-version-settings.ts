type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Numbers the changes of all settings, so that one number says which of them an administrator has seen.
    CREATE SEQUENCE settings_version_seq;
    ALTER TABLE settings ADD COLUMN version bigint NOT NULL DEFAULT nextval('settings_version_seq');
  `);
}
