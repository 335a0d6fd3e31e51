type Run = (sql: string) => Promise<void>;

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
  `);
}
