type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    CREATE TABLE frames (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE,
      image_url text NOT NULL,
      -- Coins.
      price bigint NOT NULL CHECK (price BETWEEN 1 AND 1000000000),
      -- Null: for good.
      duration_days integer CHECK (duration_days BETWEEN 1 AND 3660),
      position integer NOT NULL DEFAULT 0,
      retired_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()
    );

    -- Each purchase at what it cost then, kept for good.
    CREATE TABLE frame_purchases (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id),
      frame_id uuid NOT NULL REFERENCES frames (id),
      price bigint NOT NULL CHECK (price > 0),
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX frame_purchases_user_idx ON frame_purchases (user_id, id DESC);

    -- Who has which frame now. A row that has expired counts for nothing, also before a job takes it away.
    CREATE TABLE frame_ownerships (
      user_id uuid NOT NULL REFERENCES users (id),
      frame_id uuid NOT NULL REFERENCES frames (id),
      expires_at timestamptz,
      equipped boolean NOT NULL DEFAULT false,
      PRIMARY KEY (user_id, frame_id)
    );
    CREATE UNIQUE INDEX frame_ownerships_equipped_key ON frame_ownerships (user_id) WHERE equipped;
    CREATE INDEX frame_ownerships_expiry_idx ON frame_ownerships (expires_at) WHERE expires_at IS NOT NULL;

    CREATE TABLE vip_plans (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE,
      -- In the currency's smallest unit.
      price bigint NOT NULL CHECK (price BETWEEN 1 AND 1000000000000),
      currency char(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
      duration_days integer NOT NULL CHECK (duration_days BETWEEN 1 AND 3660),
      benefits text[] NOT NULL DEFAULT '{}',
      badge_url text,
      position integer NOT NULL DEFAULT 0,
      retired_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    ALTER TABLE payment_orders ADD FOREIGN KEY (plan_id) REFERENCES vip_plans (id);

    -- What one paid order gives. Periods of the same plan follow each other without a gap; "ended_at" is set when one is
    -- over, by time or by a refund, and what has expired counts for nothing before that too.
    CREATE TABLE vip_periods (
      order_id uuid PRIMARY KEY REFERENCES payment_orders (id),
      user_id uuid NOT NULL REFERENCES users (id),
      plan_id uuid NOT NULL REFERENCES vip_plans (id),
      starts_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
      ended_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX vip_periods_running_idx ON vip_periods (user_id, plan_id, ends_at) WHERE ended_at IS NULL;
    CREATE INDEX vip_periods_expiry_idx ON vip_periods (ends_at) WHERE ended_at IS NULL;
  `);
}
