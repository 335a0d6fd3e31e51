type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    CREATE TABLE offers (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE,
      kind text NOT NULL CHECK (kind IN ('first_purchase', 'happy_hours', 'coupon', 'campaign')),
      bonus_percent integer NOT NULL DEFAULT 0 CHECK (bonus_percent >= 0),
      bonus_coins bigint NOT NULL DEFAULT 0 CHECK (bonus_coins >= 0),
      discount_percent integer NOT NULL DEFAULT 0 CHECK (discount_percent BETWEEN 0 AND 90),
      -- Empty lists: all packages, countries, users.
      package_ids text[] NOT NULL DEFAULT '{}',
      countries text[] NOT NULL DEFAULT '{}',
      user_ids text[] NOT NULL DEFAULT '{}',
      new_user_days integer,
      starts_at timestamptz,
      ends_at timestamptz,
      hours jsonb,
      total_limit integer,
      person_limit integer,
      used integer NOT NULL DEFAULT 0 CHECK (used >= 0),
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      retired_at timestamptz,
      CONSTRAINT offers_end_after_start CHECK (ends_at > starts_at)
    );

    -- How many orders of a user an offer counts for.
    CREATE TABLE offer_uses (
      offer_id uuid NOT NULL REFERENCES offers,
      user_id uuid NOT NULL REFERENCES users,
      uses integer NOT NULL CHECK (uses >= 0),
      PRIMARY KEY (offer_id, user_id)
    );

    CREATE TABLE coupons (
      id uuid PRIMARY KEY,
      offer_id uuid NOT NULL REFERENCES offers,
      name text NOT NULL,
      code text NOT NULL UNIQUE,
      claims_max integer,
      claims integer NOT NULL DEFAULT 0 CHECK (claims >= 0),
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      retired_at timestamptz
    );
    CREATE INDEX coupons_offer_idx ON coupons (offer_id);

    CREATE TABLE coupon_claims (
      user_id uuid NOT NULL REFERENCES users,
      offer_id uuid NOT NULL REFERENCES offers,
      coupon_id uuid NOT NULL REFERENCES coupons,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (user_id, offer_id)
    );
    CREATE INDEX coupon_claims_offer_idx ON coupon_claims (offer_id);
    CREATE INDEX coupon_claims_coupon_idx ON coupon_claims (coupon_id);

    -- What an order was offered: \`list_amount\` without the discount, \`offer_bonus\` coins of \`credit\`. While it is held,
    -- the order counts toward the limits of the offer.
    ALTER TABLE payment_orders
      ADD COLUMN offer_id uuid REFERENCES offers,
      ADD COLUMN list_amount bigint,
      ADD COLUMN offer_bonus bigint,
      ADD COLUMN offer_held boolean NOT NULL DEFAULT false;
  `);
}
