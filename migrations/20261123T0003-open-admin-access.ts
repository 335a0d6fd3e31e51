type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    ALTER TABLE admins
      ADD COLUMN status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
      ADD COLUMN totp_secret text,
      ADD COLUMN totp_confirmed_at timestamptz,
      -- The time step of the last accepted code: a code works once.
      ADD COLUMN totp_last_step bigint NOT NULL DEFAULT 0,
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
    CREATE INDEX admins_role_idx ON admins (role_id);

    CREATE TABLE admin_recovery_codes (
      admin_id uuid NOT NULL REFERENCES admins (id),
      code_hash bytea NOT NULL,
      PRIMARY KEY (admin_id, code_hash)
    );

    CREATE TABLE admin_sessions (
      id uuid PRIMARY KEY,
      admin_id uuid NOT NULL REFERENCES admins (id),
      user_agent text NOT NULL,
      ip text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      revoked_at timestamptz
    );
    CREATE INDEX admin_sessions_admin_idx ON admin_sessions (admin_id) WHERE revoked_at IS NULL;
    CREATE INDEX admin_sessions_expiry_idx ON admin_sessions (expires_at);

    ALTER TABLE roles
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

    -- A failed login has no principal.
    ALTER TABLE audit_log ALTER COLUMN principal_id DROP NOT NULL, ALTER COLUMN session_id DROP NOT NULL;

    ALTER TABLE gifts
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
    ALTER TABLE gift_categories
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

    CREATE INDEX audit_log_target_idx ON audit_log (target_type, target_id, id);

    -- The last entry. Its lock orders all writers, and is held until their commit: an entry is never visible unchained.
    CREATE TABLE audit_head (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      seq bigint NOT NULL,
      hash text NOT NULL
    );
    INSERT INTO audit_head (seq, hash) VALUES (0, '');

    ALTER TABLE audit_log ADD COLUMN seq bigint, ADD COLUMN hash text;

    -- What is hashed. The text of a jsonb value is canonical. Times have microseconds, in UTC.
    CREATE FUNCTION audit_entry_text(entry audit_log) RETURNS text LANGUAGE sql STABLE AS $$
      SELECT jsonb_build_object(
        'seq', entry.seq, 'id', entry.id, 'at', to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'principal_kind', entry.principal_kind, 'principal_id', entry.principal_id, 'role', entry.role,
        'session_id', entry.session_id, 'action', entry.action, 'target_type', entry.target_type,
        'target_id', entry.target_id, 'before', entry.before, 'after', entry.after, 'reason', entry.reason,
        'ip', entry.ip, 'user_agent', entry.user_agent, 'request_id', entry.request_id)::text
    $$;

    CREATE FUNCTION chain_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE head audit_head;
    BEGIN
      SELECT * INTO head FROM audit_head FOR UPDATE;
      NEW.seq := head.seq + 1;
      NEW.hash := encode(sha256(convert_to(head.hash || audit_entry_text(NEW), 'UTF8')), 'hex');
      UPDATE audit_head SET seq = NEW.seq, hash = NEW.hash;
      RETURN NEW;
    END $$;

    -- Entries of before are chained as they stand.
    ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only;
    CREATE TEMPORARY TABLE unchained AS SELECT * FROM audit_log;
    DELETE FROM audit_log;
    CREATE TRIGGER audit_log_chain BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();
    INSERT INTO audit_log SELECT * FROM unchained ORDER BY at, id;
    DROP TABLE unchained;
    ALTER TABLE audit_log ENABLE TRIGGER audit_log_append_only;

    ALTER TABLE audit_log ALTER COLUMN seq SET NOT NULL, ALTER COLUMN hash SET NOT NULL;
    CREATE UNIQUE INDEX audit_log_seq_key ON audit_log (seq);
    CREATE INDEX audit_log_principal_idx ON audit_log (principal_id, seq);
    CREATE INDEX audit_log_action_idx ON audit_log (action, seq);

    -- Who last changed a setting; null for the command line.
    ALTER TABLE settings ADD COLUMN updated_by uuid;

    -- The answers of support. The first message of a conversation is that of the ticket.
    CREATE TABLE ticket_answers (
      id uuid PRIMARY KEY,
      ticket_id uuid NOT NULL REFERENCES support_tickets (id),
      admin_id uuid NOT NULL REFERENCES admins (id),
      message text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX ticket_answers_ticket_idx ON ticket_answers (ticket_id, id);
    ALTER TABLE support_tickets ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
    CREATE INDEX support_tickets_age_idx ON support_tickets (created_at, id);

    -- A ticket can be answered that belongs to no account.
    ALTER TABLE mail_outbox ALTER COLUMN user_id DROP NOT NULL;

    -- Null: what support or the app itself tells.
    ALTER TABLE notifications ALTER COLUMN actor_id DROP NOT NULL;

    -- What an administrator did about a comment. It is not shown, so "deleted_at" is set as well.
    ALTER TABLE post_comments
      ADD COLUMN moderation text CHECK (moderation IN ('hidden', 'removed')),
      ADD COLUMN status_reason text,
      ADD CONSTRAINT post_comments_moderated CHECK (moderation IS NULL OR deleted_at IS NOT NULL);

    -- Administrators list posts by status and author, and search them by words.
    CREATE INDEX posts_status_idx ON posts (status, id DESC);
    CREATE INDEX posts_authored_idx ON posts (author_id, id DESC);
    CREATE INDEX posts_words_idx ON posts USING gin (to_tsvector('simple', content));
    CREATE INDEX post_comments_words_idx ON post_comments USING gin (to_tsvector('simple', content));
    CREATE INDEX post_comments_authored_idx ON post_comments (author_id, id DESC);
    DROP INDEX post_comments_author_idx;
    CREATE INDEX post_comments_moderated_idx ON post_comments (moderation, id DESC) WHERE moderation IS NOT NULL;
    CREATE INDEX post_comments_all_idx ON post_comments (post_id, id DESC);

    -- How many open reports there are about one thing.
    CREATE INDEX reports_target_idx ON reports (target_type, target_id, id DESC);

    -- An administrator claims a report before they look into it, so that two don't do the same. The claim expires.
    ALTER TABLE reports
      ADD COLUMN claimed_by uuid REFERENCES admins (id),
      ADD COLUMN claimed_until timestamptz,
      -- What was done about the target when the report was resolved.
      ADD COLUMN action text CHECK (action IN ('warn', 'hide', 'remove', 'suspend')),
      ADD CONSTRAINT reports_claimed CHECK ((claimed_by IS NULL) = (claimed_until IS NULL));
    CREATE INDEX reports_listed_idx ON reports (status, id DESC);

    -- What happened in each quarter of an hour: the offsets of all time zones are multiples of it, so that the days of any
    -- zone can be summed.
    CREATE TABLE stat_quarters (
      metric text NOT NULL,
      quarter timestamptz NOT NULL CHECK (date_bin('15 minutes', quarter, '2000-01-01T00:00:00Z') = quarter),
      value bigint NOT NULL,
      PRIMARY KEY (metric, quarter) INCLUDE (value)
    );

    -- The sums of all quarters.
    CREATE TABLE stat_totals (
      metric text PRIMARY KEY,
      value bigint NOT NULL
    );
    CREATE FUNCTION add_to_stat_total() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO stat_totals (metric, value) VALUES (NEW.metric, NEW.value)
      ON CONFLICT (metric) DO UPDATE
      SET value = stat_totals.value + NEW.value - CASE TG_OP WHEN 'UPDATE' THEN OLD.value ELSE 0 END;
      RETURN NULL;
    END $$;
    CREATE TRIGGER stat_quarters_total AFTER INSERT OR UPDATE ON stat_quarters
      FOR EACH ROW EXECUTE FUNCTION add_to_stat_total();

    -- All quarters before this time are counted; null before the first count.
    CREATE TABLE stat_progress (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      counted_until timestamptz
    );
    INSERT INTO stat_progress DEFAULT VALUES;

    -- One for each filter, in the order of the list.
    DROP INDEX audit_log_principal_idx;
    DROP INDEX audit_log_action_idx;
    CREATE INDEX audit_log_at_idx ON audit_log (at, seq);
    CREATE INDEX audit_log_principal_idx ON audit_log (principal_id, at, seq);
    CREATE INDEX audit_log_action_idx ON audit_log (action, at, seq);
    CREATE INDEX audit_log_target_type_idx ON audit_log (target_type, at, seq);
    CREATE INDEX audit_log_target_at_idx ON audit_log (target_id, at, seq);

    -- Notifications of administrators to many users, which a job sends in batches by user ID.
    CREATE TABLE broadcasts (
      id uuid PRIMARY KEY,
      title text NOT NULL,
      body text NOT NULL,
      audience text NOT NULL CHECK (audience IN ('all', 'vip', 'country', 'user_ids')),
      country char(2),
      user_ids uuid[],
      status text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'sending', 'sent', 'stopped')),
      scheduled_at timestamptz NOT NULL,
      created_by uuid NOT NULL REFERENCES admins (id),
      created_at timestamptz NOT NULL DEFAULT now(),
      started_at timestamptz,
      ended_at timestamptz,
      -- The audience when sending began, and those who have been notified.
      recipients int,
      notified int NOT NULL DEFAULT 0,
      -- The last user of the last batch.
      cursor uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
      CONSTRAINT broadcasts_country CHECK ((audience = 'country') = (country IS NOT NULL)),
      CONSTRAINT broadcasts_user_ids CHECK ((audience = 'user_ids') = (user_ids IS NOT NULL)),
      CONSTRAINT broadcasts_started CHECK ((started_at IS NULL) = (recipients IS NULL)),
      CONSTRAINT broadcasts_ended CHECK ((status IN ('sent', 'stopped')) = (ended_at IS NOT NULL))
    );
    CREATE INDEX broadcasts_list_idx ON broadcasts (created_at, id);
    CREATE INDEX broadcasts_due_idx ON broadcasts (scheduled_at) WHERE status IN ('scheduled', 'sending');
    CREATE INDEX users_country_idx ON users (country, id) WHERE country IS NOT NULL;

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

    -- Numbers the changes of all settings, so that one number says which of them an administrator has seen.
    CREATE SEQUENCE settings_version_seq;
    ALTER TABLE settings ADD COLUMN version bigint NOT NULL DEFAULT nextval('settings_version_seq');
  `);
}
