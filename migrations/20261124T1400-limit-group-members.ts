type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  // Null for those who came by themselves.
  await run("ALTER TABLE conversation_members ADD COLUMN added_by uuid REFERENCES users");
}
