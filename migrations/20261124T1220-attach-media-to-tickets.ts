type Run = (sql: string) => Promise<void>;

/** What the release before this migration may go on beside. */
export const compatible = {
  "support_tickets.support_tickets_show_media": "It refuses nothing: it counts what shows media.",
};

export async function up(run: Run): Promise<void> {
  await run("ALTER TABLE support_tickets ADD COLUMN media jsonb");
  await run(`CREATE TRIGGER support_tickets_show_media AFTER INSERT OR DELETE OR UPDATE OF media ON support_tickets
    FOR EACH ROW EXECUTE FUNCTION count_media_uses('media')`);
}
