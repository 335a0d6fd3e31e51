type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Administrators list these by each filter in each order.
    CREATE INDEX users_status_name_idx ON users (status, username);

    CREATE INDEX rooms_status_idx ON rooms (status, id DESC);
    CREATE INDEX rooms_any_category_idx ON rooms (category, id DESC);
    CREATE INDEX rooms_name_idx ON rooms (name, id);
    CREATE INDEX rooms_status_name_idx ON rooms (status, name, id);

    CREATE INDEX reports_type_idx ON reports (target_type, id DESC);
    CREATE INDEX reports_claimed_idx ON reports (claimed_by, id DESC) WHERE claimed_by IS NOT NULL;
    CREATE INDEX reports_against_idx ON reports (target_user_id, id DESC);
    DROP INDEX reports_target_user_idx;
    CREATE INDEX reports_by_idx ON reports (reporter_id, id DESC);
    DROP INDEX reports_reporter_idx;

    -- The status that is shown.
    CREATE INDEX posts_shown_status_idx
      ON posts ((CASE WHEN deleted_at IS NULL THEN status ELSE 'deleted' END), id DESC);
    DROP INDEX posts_status_idx;
    CREATE INDEX post_comments_shown_status_idx ON post_comments
      ((coalesce(moderation, CASE WHEN deleted_at IS NULL THEN 'visible' ELSE 'deleted' END)), id DESC);
    DROP INDEX post_comments_moderated_idx;

    -- Those of the other accounts are found soon by their IDs.
    CREATE INDEX ledger_entries_rare_house_idx ON ledger_entries (house, id)
      WHERE house NOT IN ('issue', 'gift_revenue');

    CREATE INDEX payment_orders_status_idx ON payment_orders (status, created_at, id);
    CREATE INDEX payment_orders_kind_idx ON payment_orders (kind, created_at, id);
    CREATE INDEX payment_orders_provider_idx ON payment_orders (provider, created_at, id);
    CREATE INDEX payment_orders_amount_idx ON payment_orders (amount, id);
    CREATE INDEX payment_orders_provider_order_idx ON payment_orders (provider_order_id);
    CREATE INDEX payments_provider_payment_idx ON payments (provider_payment_id);

    CREATE INDEX balance_adjustments_status_idx ON balance_adjustments (status, created_at, id);
    CREATE INDEX balance_adjustments_requester_idx ON balance_adjustments (requested_by, created_at, id);
    CREATE INDEX balance_adjustments_amount_idx ON balance_adjustments (amount, id);

    CREATE INDEX support_tickets_updated_idx ON support_tickets (updated_at, id);
    CREATE INDEX support_tickets_state_idx ON support_tickets (status, created_at, id);

    CREATE INDEX broadcasts_scheduled_idx ON broadcasts (scheduled_at, id);
    CREATE INDEX broadcasts_status_idx ON broadcasts (status, created_at, id);
    CREATE INDEX broadcasts_audience_idx ON broadcasts (audience, created_at, id);
    CREATE INDEX broadcasts_creator_idx ON broadcasts (created_by, created_at, id);
  `);
  // Parts of names and texts, where the extension is there; without it, a search reads the whole table.
  await run(`
    DO $$ BEGIN
      IF NOT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm') THEN
        RAISE WARNING 'pg_trgm is missing: administrators search rooms, tickets, adjustments, and broadcasts slowly';
        RETURN;
      END IF;
      CREATE INDEX rooms_part_of_name_idx ON rooms USING gin (lower(name) gin_trgm_ops);
      CREATE INDEX support_tickets_search_idx ON support_tickets USING gin (subject gin_trgm_ops, email gin_trgm_ops);
      CREATE INDEX balance_adjustments_search_idx ON balance_adjustments USING gin (reason gin_trgm_ops);
      CREATE INDEX broadcasts_search_idx ON broadcasts USING gin (title gin_trgm_ops, body gin_trgm_ops);
    END $$;
  `);
}
