type Run = (sql: string) => Promise<void>;

const managed = ["categories", "top_ups", "services", "campaigns", "cards", "card_services", "gateways"];

/** What orders refer to is kept when an administrator deletes it. Of top-ups and cards, the column had another name. */
const retirable = ["services", "card_services"];

export async function up(run: Run): Promise<void> {
  await run(`
    ALTER TABLE catalogue_orders RENAME COLUMN top_up_name TO product_name;
    ALTER TABLE catalogue_orders
      ALTER COLUMN top_up_id DROP NOT NULL,
      ALTER COLUMN service_id DROP NOT NULL,
      ADD COLUMN card_id integer REFERENCES catalogue_cards (id),
      ADD COLUMN card_service_id integer REFERENCES catalogue_card_services (id),
      ADD COLUMN IF NOT EXISTS version integer NOT NULL DEFAULT 1,
      -- What was delivered, in words. Never a code.
      ADD COLUMN delivery text,
      ADD COLUMN completed_at timestamptz,
      -- The provider that delivers it, once it was asked.
      ADD COLUMN provider text,
      ADD COLUMN tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
      -- When the provider is asked, or asked again. Null: an administrator completes or cancels the order.
      ADD COLUMN next_try_at timestamptz,
      -- Until then, the provider may be being asked.
      ADD COLUMN asking_until timestamptz,
      -- Why the provider's answer is unknown.
      ADD COLUMN problem text,
      ADD CONSTRAINT catalogue_orders_product_check CHECK (
        num_nonnulls(top_up_id, service_id) = 2 AND num_nonnulls(card_id, card_service_id) = 0
        OR num_nonnulls(card_id, card_service_id) = 2 AND num_nonnulls(top_up_id, service_id, campaign_id) = 0
      ),
      ADD CONSTRAINT catalogue_orders_cancelled_check CHECK ((status = 'cancelled') = (reason IS NOT NULL)),
      ADD CONSTRAINT catalogue_orders_completed_check CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
      ADD CONSTRAINT catalogue_orders_open_check CHECK (
        status IN ('placed', 'processing') OR next_try_at IS NULL AND asking_until IS NULL
      );
    CREATE INDEX catalogue_orders_due_idx ON catalogue_orders (next_try_at) WHERE next_try_at IS NOT NULL;
    CREATE INDEX catalogue_orders_status_idx ON catalogue_orders (status, id);
    CREATE INDEX catalogue_orders_created_idx ON catalogue_orders (created_at, id);
    CREATE INDEX catalogue_orders_product_idx ON catalogue_orders (top_up_id, id) WHERE top_up_id IS NOT NULL;
    CREATE INDEX catalogue_orders_card_idx ON catalogue_orders (card_id, id) WHERE card_id IS NOT NULL;

    -- The books of the sandbox, which only it reads.
    CREATE TABLE sandbox_deliveries (
      order_id integer PRIMARY KEY,
      behaviour text NOT NULL,
      calls integer NOT NULL,
      received boolean NOT NULL
    );

    -- Keys of the service's own, encrypted.
    CREATE TABLE sealed_keys (
      name text PRIMARY KEY,
      key_sealed text NOT NULL
    );

    -- The stock of gift cards. A code with an order is reserved for it, or delivered.
    CREATE TABLE catalogue_codes (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      service_id integer NOT NULL REFERENCES catalogue_card_services (id),
      -- HMAC-SHA256 of the code: finds a duplicate without decrypting any.
      fingerprint bytea NOT NULL UNIQUE CHECK (length(fingerprint) = 32),
      -- Null some time after it was shown.
      code_sealed text,
      order_id integer UNIQUE REFERENCES catalogue_orders (id),
      shown_at timestamptz,
      -- SHA-256 of the Idempotency-Key that it was shown for.
      shown_for bytea,
      created_at timestamptz NOT NULL DEFAULT now(),
      CHECK (code_sealed IS NOT NULL OR shown_at IS NOT NULL),
      CHECK ((shown_at IS NULL) = (shown_for IS NULL)),
      CHECK (shown_at IS NULL OR order_id IS NOT NULL)
    );
    CREATE INDEX catalogue_codes_stock_idx ON catalogue_codes (service_id, id) WHERE order_id IS NULL;
    CREATE INDEX catalogue_codes_service_idx ON catalogue_codes (service_id, id);
    CREATE INDEX catalogue_codes_shown_idx ON catalogue_codes (shown_at) WHERE code_sealed IS NOT NULL AND shown_at IS NOT NULL;

    CREATE INDEX catalogue_orders_problem_idx ON catalogue_orders (id) WHERE problem IS NOT NULL;
    -- The codes that are reserved.
    CREATE INDEX catalogue_orders_open_idx ON catalogue_orders (card_service_id)
      WHERE card_service_id IS NOT NULL AND status IN ('placed', 'processing');

    -- Where the servers of resellers hear of their orders.
    CREATE TABLE webhook_endpoints (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id),
      url text NOT NULL,
      secret_sealed text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      -- Since when nothing has been delivered, although it was tried.
      failing_since timestamptz,
      disabled_at timestamptz
    );
    CREATE INDEX webhook_endpoints_user_idx ON webhook_endpoints (user_id);

    CREATE TABLE webhook_deliveries (
      id uuid PRIMARY KEY,
      endpoint_id uuid NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
      type text NOT NULL,
      -- The signed bytes: the same in each try.
      body text NOT NULL,
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
      tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
      next_try_at timestamptz,
      response_status integer,
      error text,
      created_at timestamptz NOT NULL DEFAULT now(),
      delivered_at timestamptz,
      CHECK ((status = 'pending') = (next_try_at IS NOT NULL)),
      CHECK (status <> 'delivered' OR delivered_at IS NOT NULL)
    );
    CREATE INDEX webhook_deliveries_endpoint_idx ON webhook_deliveries (endpoint_id, id);
    CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (next_try_at) WHERE status = 'pending';
    CREATE INDEX webhook_deliveries_created_idx ON webhook_deliveries (created_at);
  `);
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
  // The values of `parameter_names`, as sealed JSON.
  await run("ALTER TABLE catalogue_gateways ADD COLUMN parameters_sealed text");
  await run(`
    -- Administrators decide who is a reseller.
    ALTER TABLE catalogue_customers
      ADD COLUMN status text NOT NULL DEFAULT 'applied' CHECK (status IN ('applied', 'approved', 'suspended')),
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      -- When the customer was last reminded of overdue orders.
      ADD COLUMN reminded_at timestamptz;
    CREATE INDEX catalogue_customers_status_idx ON catalogue_customers (status, id);

    -- What a customer may owe, and owes, in 1/10,000 of the unit of each currency. Without a row, orders are prepaid.
    CREATE TABLE catalogue_credit (
      customer_id integer NOT NULL REFERENCES catalogue_customers (id),
      currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
      credit_limit bigint NOT NULL CHECK (credit_limit BETWEEN 0 AND 9000000000000000),
      due bigint NOT NULL DEFAULT 0 CHECK (due >= 0),
      PRIMARY KEY (customer_id, currency)
    );

    -- When an order on credit must be paid. Null: it is paid, was cancelled, or was placed before there were limits.
    ALTER TABLE catalogue_orders ADD COLUMN due_at timestamptz;
    CREATE INDEX catalogue_orders_owed_idx ON catalogue_orders (customer_id, due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX catalogue_orders_customer_open_idx ON catalogue_orders (customer_id)
      WHERE status IN ('placed', 'processing');

    -- Owners of keys are customers already. Those who ordered on account keep a limit: what they ordered in 30 days.
    INSERT INTO catalogue_customers (user_id) SELECT DISTINCT user_id FROM api_keys ON CONFLICT (user_id) DO NOTHING;
    UPDATE catalogue_customers SET status = 'approved'
      WHERE user_id IN (SELECT user_id FROM api_keys) OR id IN (SELECT customer_id FROM catalogue_orders);
    INSERT INTO catalogue_credit (customer_id, currency, credit_limit)
      SELECT customer_id, currency, least(sum(total) * 10000, 9000000000000000)::bigint FROM catalogue_orders
      WHERE payment = 'postpaid' AND status <> 'cancelled' AND created_at > now() - interval '30 days'
      GROUP BY customer_id, currency;
  `);
}
