type Run = (sql: string) => Promise<void>;

const managed = ["categories", "top_ups", "services", "campaigns", "cards", "card_services", "gateways"];

/** What orders refer to is kept when an administrator deletes it. Of top-ups and cards, the column had another name. */
const retirable = ["services", "card_services"];

export async function up(run: Run): Promise<void> {
  for (const table of managed)
    await run(`ALTER TABLE catalogue_${table} ADD COLUMN version integer NOT NULL DEFAULT 1`);
  for (const table of retirable) await run(`ALTER TABLE catalogue_${table} ADD COLUMN retired_at timestamptz`);
  await run(`
    -- For administrators, to tell campaigns apart.
    ALTER TABLE catalogue_campaigns ADD COLUMN name text NOT NULL DEFAULT 'Campaign';

    ALTER TABLE catalogue_top_ups RENAME COLUMN deleted_at TO retired_at;
    ALTER TABLE catalogue_cards RENAME COLUMN deleted_at TO retired_at;

    -- A removed review stays, so that its author can't write another one.
    ALTER TABLE catalogue_reviews ADD COLUMN removed_at timestamptz;
    ALTER TABLE catalogue_reviews ADD CHECK (removed_at IS NULL OR status = 0);
    CREATE INDEX catalogue_reviews_held_idx ON catalogue_reviews (id) WHERE status = 0 AND removed_at IS NULL;

    -- Reviews as administrators see them.
    CREATE VIEW catalogue_managed_reviews AS
      SELECT r.id, r.top_up_id, k.user_id, r.rating, r.comment, r.created_at, r.updated_at,
        CASE WHEN r.removed_at IS NOT NULL THEN 'removed' WHEN r.status = 1 THEN 'published' ELSE 'held' END AS status
      FROM catalogue_reviews r JOIN catalogue_customers k ON k.id = r.customer_id;
  `);
}
