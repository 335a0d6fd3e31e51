-- What the migrations make, to read: `WRITE_SCHEMA=on npm test -- shared/db/schema.test.ts` writes it again.

-- extensions

CREATE EXTENSION btree_gist;
CREATE EXTENSION pg_trgm;

-- domains

CREATE DOMAIN asset AS text CHECK (((VALUE = ANY (ARRAY['coins'::text, 'earnings'::text])) OR (VALUE ~ '^[A-Z]{3}$'::text))) NOT VALID;
CREATE DOMAIN coins AS bigint CHECK (((VALUE >= '-9000000000000000'::bigint) AND (VALUE <= '9000000000000000'::bigint)));

-- tables

CREATE TABLE admin_controls (
  admin_id uuid NOT NULL,
  controlled_by uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT admin_controls_pkey PRIMARY KEY (admin_id, controlled_by),
  CONSTRAINT admin_controls_admin_id_fkey FOREIGN KEY (admin_id) REFERENCES admins(id),
  CONSTRAINT admin_controls_controlled_by_fkey FOREIGN KEY (controlled_by) REFERENCES admins(id),
  CONSTRAINT admin_controls_check CHECK ((admin_id <> controlled_by))
);

CREATE TABLE admin_recovery_codes (
  admin_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  CONSTRAINT admin_recovery_codes_pkey PRIMARY KEY (admin_id, code_hash),
  CONSTRAINT admin_recovery_codes_admin_id_fkey FOREIGN KEY (admin_id) REFERENCES admins(id)
);

CREATE TABLE admin_sessions (
  id uuid NOT NULL,
  admin_id uuid NOT NULL,
  user_agent text NOT NULL,
  ip text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  CONSTRAINT admin_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT admin_sessions_admin_id_fkey FOREIGN KEY (admin_id) REFERENCES admins(id)
);

CREATE TABLE admins (
  id uuid NOT NULL,
  email text NOT NULL,
  full_name text NOT NULL,
  password_hash text NOT NULL,
  role_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  status text NOT NULL DEFAULT 'active'::text,
  totp_secret text,
  totp_confirmed_at timestamp with time zone,
  totp_last_step bigint NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT admins_pkey PRIMARY KEY (id),
  CONSTRAINT admins_email_key UNIQUE (email),
  CONSTRAINT admins_role_id_fkey FOREIGN KEY (role_id) REFERENCES roles(id),
  CONSTRAINT admins_email_check CHECK ((email = lower(email))),
  CONSTRAINT admins_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text])))
);

CREATE TABLE age_signals (
  user_id uuid NOT NULL,
  source text NOT NULL,
  lower smallint,
  upper smallint,
  method text NOT NULL,
  consent text NOT NULL,
  received_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT age_signals_pkey PRIMARY KEY (user_id),
  CONSTRAINT age_signals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT age_signals_check CHECK (((upper >= lower) AND (upper <= 150))),
  CONSTRAINT age_signals_lower_check CHECK (((lower >= 0) AND (lower <= 150)))
);

CREATE TABLE agencies (
  id uuid NOT NULL,
  name text NOT NULL,
  owner_id uuid NOT NULL,
  country text NOT NULL,
  time_zone text NOT NULL,
  period text NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  retired_at timestamp with time zone,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  plan_id uuid,
  CONSTRAINT agencies_pkey PRIMARY KEY (id),
  CONSTRAINT agencies_name_key UNIQUE (name),
  CONSTRAINT agencies_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(id),
  CONSTRAINT agencies_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES agency_plans(id),
  CONSTRAINT agencies_period_check CHECK ((period = ANY (ARRAY['week'::text, 'month'::text]))),
  CONSTRAINT agencies_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text])))
);

CREATE TABLE agency_invitations (
  id uuid NOT NULL,
  agency_id uuid NOT NULL,
  user_id uuid NOT NULL,
  invited_by uuid NOT NULL,
  commission_basis_points integer NOT NULL,
  term_months integer,
  status text NOT NULL DEFAULT 'pending'::text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  answered_at timestamp with time zone,
  CONSTRAINT agency_invitations_pkey PRIMARY KEY (id),
  CONSTRAINT agency_invitations_agency_id_fkey FOREIGN KEY (agency_id) REFERENCES agencies(id),
  CONSTRAINT agency_invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id),
  CONSTRAINT agency_invitations_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT agency_invitations_commission_basis_points_check CHECK (((commission_basis_points >= 0) AND (commission_basis_points <= 10000))),
  CONSTRAINT agency_invitations_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text, 'withdrawn'::text]))),
  CONSTRAINT agency_invitations_term_months_check CHECK (((term_months >= 1) AND (term_months <= 120)))
);

CREATE TABLE agency_plans (
  id uuid NOT NULL,
  name text NOT NULL,
  period text NOT NULL,
  day_minutes integer NOT NULL,
  targets jsonb NOT NULL,
  levels jsonb NOT NULL,
  retired_at timestamp with time zone,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT agency_plans_pkey PRIMARY KEY (id),
  CONSTRAINT agency_plans_name_key UNIQUE (name),
  CONSTRAINT agency_plans_day_minutes_check CHECK (((day_minutes >= 0) AND (day_minutes <= 1440))),
  CONSTRAINT agency_plans_period_check CHECK ((period = ANY (ARRAY['week'::text, 'month'::text])))
);

CREATE TABLE agency_staff (
  agency_id uuid NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT agency_staff_pkey PRIMARY KEY (agency_id, user_id),
  CONSTRAINT agency_staff_agency_id_fkey FOREIGN KEY (agency_id) REFERENCES agencies(id) ON DELETE CASCADE,
  CONSTRAINT agency_staff_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE api_keys (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL,
  public_key text NOT NULL,
  secret_hash bytea NOT NULL,
  allowed_addresses inet[] NOT NULL DEFAULT '{}'::inet[],
  last_used_at timestamp with time zone,
  last_used_ip inet,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_public_key_key UNIQUE (public_key),
  CONSTRAINT api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE api_tokens (
  token_hash bytea NOT NULL,
  key_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT api_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT api_tokens_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE
);

CREATE TABLE appeals (
  id uuid NOT NULL,
  sanction_id uuid,
  user_id uuid NOT NULL,
  text text NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  answer text,
  decided_by uuid,
  decided_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  removal_id uuid,
  about text NOT NULL DEFAULT ''::text,
  CONSTRAINT appeals_pkey PRIMARY KEY (id),
  CONSTRAINT appeals_sanction_id_key UNIQUE (sanction_id),
  CONSTRAINT appeals_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES admins(id),
  CONSTRAINT appeals_removal_id_fkey FOREIGN KEY (removal_id) REFERENCES removals(id),
  CONSTRAINT appeals_sanction_id_fkey FOREIGN KEY (sanction_id) REFERENCES sanctions(id),
  CONSTRAINT appeals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT appeals_status_check CHECK ((status = ANY (ARRAY['open'::text, 'upheld'::text, 'overturned'::text])))
);

CREATE TABLE audit_archives (
  seq bigint NOT NULL,
  hash text NOT NULL,
  file_sha256 text NOT NULL,
  signature text NOT NULL,
  public_key text NOT NULL,
  archived_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT audit_archives_pkey PRIMARY KEY (seq),
  CONSTRAINT audit_archives_file_sha256_check CHECK ((length(file_sha256) = 64))
);

CREATE TABLE audit_head (
  one boolean NOT NULL DEFAULT true,
  seq bigint NOT NULL,
  hash text NOT NULL,
  CONSTRAINT audit_head_pkey PRIMARY KEY (one),
  CONSTRAINT audit_head_one_check CHECK (one)
);

CREATE TABLE audit_log (
  id uuid NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  principal_kind text NOT NULL,
  principal_id uuid,
  role text NOT NULL,
  session_id uuid,
  action text NOT NULL,
  target_type text NOT NULL,
  target_id text NOT NULL,
  before jsonb,
  after jsonb,
  reason text,
  ip text NOT NULL,
  user_agent text NOT NULL,
  request_id text NOT NULL,
  seq bigint NOT NULL,
  hash text NOT NULL,
  CONSTRAINT audit_log_pkey PRIMARY KEY (id)
);

CREATE TABLE balance_adjustments (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  amount coins NOT NULL,
  reason text NOT NULL,
  status text NOT NULL,
  requested_by uuid NOT NULL,
  decided_by uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  decided_at timestamp with time zone,
  expires_at timestamp with time zone,
  asset asset NOT NULL DEFAULT 'coins'::text,
  CONSTRAINT balance_adjustments_pkey PRIMARY KEY (id),
  CONSTRAINT balance_adjustments_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES admins(id),
  CONSTRAINT balance_adjustments_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES admins(id),
  CONSTRAINT balance_adjustments_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT balance_adjustments_amount_check CHECK (((amount)::bigint <> 0)),
  CONSTRAINT balance_adjustments_decided CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  CONSTRAINT balance_adjustments_four_eyes CHECK (((status <> 'approved'::text) OR (decided_by <> requested_by))),
  CONSTRAINT balance_adjustments_pending CHECK (((status <> 'pending'::text) OR (expires_at IS NOT NULL))),
  CONSTRAINT balance_adjustments_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'declined'::text, 'expired'::text])))
);

CREATE TABLE broadcasts (
  id uuid NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  audience text NOT NULL,
  country character(2),
  user_ids uuid[],
  status text NOT NULL DEFAULT 'scheduled'::text,
  scheduled_at timestamp with time zone NOT NULL,
  created_by uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  recipients integer,
  notified integer NOT NULL DEFAULT 0,
  cursor uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'::uuid,
  CONSTRAINT broadcasts_pkey PRIMARY KEY (id),
  CONSTRAINT broadcasts_created_by_fkey FOREIGN KEY (created_by) REFERENCES admins(id),
  CONSTRAINT broadcasts_audience_check CHECK ((audience = ANY (ARRAY['all'::text, 'vip'::text, 'country'::text, 'user_ids'::text]))),
  CONSTRAINT broadcasts_country CHECK (((audience = 'country'::text) = (country IS NOT NULL))),
  CONSTRAINT broadcasts_ended CHECK (((status = ANY (ARRAY['sent'::text, 'stopped'::text])) = (ended_at IS NOT NULL))),
  CONSTRAINT broadcasts_started CHECK (((started_at IS NULL) = (recipients IS NULL))),
  CONSTRAINT broadcasts_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'sending'::text, 'sent'::text, 'stopped'::text]))),
  CONSTRAINT broadcasts_user_ids CHECK (((audience = 'user_ids'::text) = (user_ids IS NOT NULL)))
);

CREATE TABLE campaigns (
  id uuid NOT NULL,
  title text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  image_url text,
  link text,
  starts_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT campaigns_pkey PRIMARY KEY (id),
  CONSTRAINT campaigns_end_after_start CHECK ((ends_at > starts_at))
);

CREATE TABLE catalogue_campaigns (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  service_id integer NOT NULL,
  price numeric(16,4) NOT NULL,
  discount numeric(16,4) NOT NULL DEFAULT 0,
  discount_type text NOT NULL DEFAULT 'percentage'::text,
  max_sell integer NOT NULL,
  offered_sell integer NOT NULL DEFAULT 0,
  starts_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  name text NOT NULL DEFAULT 'Campaign'::text,
  CONSTRAINT catalogue_campaigns_pkey PRIMARY KEY (id),
  CONSTRAINT catalogue_campaigns_service_id_fkey FOREIGN KEY (service_id) REFERENCES catalogue_services(id),
  CONSTRAINT catalogue_campaigns_check CHECK (((discount_type = 'flat'::text) OR (discount <= (100)::numeric))),
  CONSTRAINT catalogue_campaigns_check1 CHECK (((offered_sell >= 0) AND (offered_sell <= max_sell))),
  CONSTRAINT catalogue_campaigns_check2 CHECK ((ends_at > starts_at)),
  CONSTRAINT catalogue_campaigns_check3 CHECK ((ended_at >= starts_at)),
  CONSTRAINT catalogue_campaigns_discount_check CHECK ((discount >= (0)::numeric)),
  CONSTRAINT catalogue_campaigns_discount_type_check CHECK ((discount_type = ANY (ARRAY['percentage'::text, 'flat'::text]))),
  CONSTRAINT catalogue_campaigns_max_sell_check CHECK ((max_sell > 0)),
  CONSTRAINT catalogue_campaigns_price_check CHECK ((price > (0)::numeric)),
  CONSTRAINT catalogue_campaigns_int4range_tstzrange_excl EXCLUDE USING gist (int4range(service_id, service_id, '[]'::text) WITH &&, tstzrange(starts_at, LEAST(ends_at, ended_at)) WITH &&)
);

CREATE TABLE catalogue_card_services (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  card_id integer NOT NULL,
  name text NOT NULL,
  image_url text NOT NULL,
  currency character(3) NOT NULL,
  price numeric(16,4) NOT NULL,
  discount numeric(16,4) NOT NULL DEFAULT 0,
  discount_type text NOT NULL DEFAULT 'percentage'::text,
  status smallint NOT NULL DEFAULT 1,
  sort_by smallint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  retired_at timestamp with time zone,
  CONSTRAINT catalogue_card_services_pkey PRIMARY KEY (id),
  CONSTRAINT catalogue_card_services_card_id_fkey FOREIGN KEY (card_id) REFERENCES catalogue_cards(id),
  CONSTRAINT catalogue_card_services_check CHECK (((discount_type = 'flat'::text) OR (discount <= (100)::numeric))),
  CONSTRAINT catalogue_card_services_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT catalogue_card_services_discount_check CHECK ((discount >= (0)::numeric)),
  CONSTRAINT catalogue_card_services_discount_type_check CHECK ((discount_type = ANY (ARRAY['percentage'::text, 'flat'::text]))),
  CONSTRAINT catalogue_card_services_price_check CHECK ((price > (0)::numeric)),
  CONSTRAINT catalogue_card_services_status_check CHECK ((status = ANY (ARRAY[0, 1])))
);

CREATE TABLE catalogue_cards (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  category_id integer NOT NULL,
  name text NOT NULL,
  slug text NOT NULL,
  region text NOT NULL,
  note text,
  status smallint NOT NULL DEFAULT 1,
  instant_delivery smallint NOT NULL DEFAULT 0,
  image_url text NOT NULL,
  preview_url text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  guide text NOT NULL DEFAULT ''::text,
  total_review integer NOT NULL DEFAULT 0,
  rating_sum bigint NOT NULL DEFAULT 0,
  sort_by smallint NOT NULL DEFAULT 1,
  retired_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  sell_count integer NOT NULL DEFAULT 0,
  trending smallint NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT catalogue_cards_pkey PRIMARY KEY (id),
  CONSTRAINT catalogue_cards_slug_key UNIQUE (slug),
  CONSTRAINT catalogue_cards_category_id_fkey FOREIGN KEY (category_id) REFERENCES catalogue_categories(id),
  CONSTRAINT catalogue_cards_check CHECK (((rating_sum >= total_review) AND (rating_sum <= ((5)::bigint * total_review)))),
  CONSTRAINT catalogue_cards_instant_delivery_check CHECK ((instant_delivery = ANY (ARRAY[0, 1]))),
  CONSTRAINT catalogue_cards_sell_count_check CHECK ((sell_count >= 0)),
  CONSTRAINT catalogue_cards_slug_check CHECK ((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text)),
  CONSTRAINT catalogue_cards_status_check CHECK ((status = ANY (ARRAY[0, 1]))),
  CONSTRAINT catalogue_cards_total_review_check CHECK ((total_review >= 0)),
  CONSTRAINT catalogue_cards_trending_check CHECK ((trending = ANY (ARRAY[0, 1])))
);

CREATE TABLE catalogue_categories (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  name text NOT NULL,
  icon text NOT NULL,
  type text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT catalogue_categories_pkey PRIMARY KEY (id),
  CONSTRAINT catalogue_categories_type_check CHECK ((type = ANY (ARRAY['top_up'::text, 'card'::text])))
);

CREATE TABLE catalogue_codes (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  service_id integer NOT NULL,
  fingerprint bytea NOT NULL,
  code_sealed text,
  order_id integer,
  shown_at timestamp with time zone,
  shown_for bytea,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT catalogue_codes_pkey PRIMARY KEY (id),
  CONSTRAINT catalogue_codes_fingerprint_key UNIQUE (fingerprint),
  CONSTRAINT catalogue_codes_order_id_key UNIQUE (order_id),
  CONSTRAINT catalogue_codes_order_id_fkey FOREIGN KEY (order_id) REFERENCES catalogue_orders(id),
  CONSTRAINT catalogue_codes_service_id_fkey FOREIGN KEY (service_id) REFERENCES catalogue_card_services(id),
  CONSTRAINT catalogue_codes_check CHECK (((code_sealed IS NOT NULL) OR (shown_at IS NOT NULL))),
  CONSTRAINT catalogue_codes_check1 CHECK (((shown_at IS NULL) = (shown_for IS NULL))),
  CONSTRAINT catalogue_codes_check2 CHECK (((shown_at IS NULL) OR (order_id IS NOT NULL))),
  CONSTRAINT catalogue_codes_fingerprint_check CHECK ((length(fingerprint) = 32))
);

CREATE TABLE catalogue_credit (
  customer_id integer NOT NULL,
  currency text NOT NULL,
  credit_limit bigint NOT NULL,
  due bigint NOT NULL DEFAULT 0,
  CONSTRAINT catalogue_credit_pkey PRIMARY KEY (customer_id, currency),
  CONSTRAINT catalogue_credit_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES catalogue_customers(id),
  CONSTRAINT catalogue_credit_credit_limit_check CHECK (((credit_limit >= 0) AND (credit_limit <= '9000000000000000'::bigint))),
  CONSTRAINT catalogue_credit_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT catalogue_credit_due_check CHECK ((due >= 0))
);

CREATE TABLE catalogue_customers (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  user_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  status text NOT NULL DEFAULT 'applied'::text,
  version integer NOT NULL DEFAULT 1,
  reminded_at timestamp with time zone,
  CONSTRAINT catalogue_customers_pkey PRIMARY KEY (id),
  CONSTRAINT catalogue_customers_user_id_key UNIQUE (user_id),
  CONSTRAINT catalogue_customers_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT catalogue_customers_status_check CHECK ((status = ANY (ARRAY['applied'::text, 'approved'::text, 'suspended'::text])))
);

CREATE TABLE catalogue_gateways (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  code text NOT NULL,
  name text NOT NULL,
  sort_by smallint NOT NULL DEFAULT 1,
  image_url text NOT NULL,
  status smallint NOT NULL DEFAULT 1,
  parameter_names text[] NOT NULL DEFAULT '{}'::text[],
  currencies jsonb NOT NULL,
  extra_parameters jsonb,
  supported_currency text[] NOT NULL,
  receivable_currencies jsonb NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  currency_type smallint NOT NULL DEFAULT 1,
  is_sandbox smallint NOT NULL DEFAULT 0,
  environment text NOT NULL DEFAULT 'live'::text,
  is_manual smallint,
  note text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  parameters_sealed text,
  CONSTRAINT catalogue_gateways_pkey PRIMARY KEY (id),
  CONSTRAINT catalogue_gateways_code_key UNIQUE (code),
  CONSTRAINT catalogue_gateways_is_sandbox_check CHECK ((is_sandbox = ANY (ARRAY[0, 1]))),
  CONSTRAINT catalogue_gateways_receivable_currencies_check CHECK ((jsonb_typeof(receivable_currencies) = 'array'::text)),
  CONSTRAINT catalogue_gateways_status_check CHECK ((status = ANY (ARRAY[0, 1])))
);

CREATE TABLE catalogue_orders (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  customer_id integer NOT NULL,
  top_up_id integer,
  service_id integer,
  campaign_id integer,
  product_name text NOT NULL,
  service_name text NOT NULL,
  status text NOT NULL DEFAULT 'placed'::text,
  reason text,
  payment text NOT NULL,
  currency character(3) NOT NULL,
  price numeric(16,4) NOT NULL,
  discount numeric(16,4) NOT NULL DEFAULT 0,
  discount_type text NOT NULL DEFAULT 'percentage'::text,
  discounted_amount numeric(16,4) NOT NULL,
  total numeric(16,4) NOT NULL,
  order_information jsonb,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  card_id integer,
  card_service_id integer,
  version integer NOT NULL DEFAULT 1,
  delivery text,
  completed_at timestamp with time zone,
  provider text,
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamp with time zone,
  asking_until timestamp with time zone,
  problem text,
  due_at timestamp with time zone,
  CONSTRAINT catalogue_orders_pkey PRIMARY KEY (id),
  CONSTRAINT catalogue_orders_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES catalogue_campaigns(id),
  CONSTRAINT catalogue_orders_card_id_fkey FOREIGN KEY (card_id) REFERENCES catalogue_cards(id),
  CONSTRAINT catalogue_orders_card_service_id_fkey FOREIGN KEY (card_service_id) REFERENCES catalogue_card_services(id),
  CONSTRAINT catalogue_orders_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES catalogue_customers(id),
  CONSTRAINT catalogue_orders_service_id_fkey FOREIGN KEY (service_id) REFERENCES catalogue_services(id),
  CONSTRAINT catalogue_orders_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES catalogue_top_ups(id),
  CONSTRAINT catalogue_orders_cancelled_check CHECK (((status = 'cancelled'::text) = (reason IS NOT NULL))),
  CONSTRAINT catalogue_orders_check CHECK (((discount_type = 'flat'::text) OR (discount <= (100)::numeric))),
  CONSTRAINT catalogue_orders_check1 CHECK (((discounted_amount >= (0)::numeric) AND (discounted_amount <= price))),
  CONSTRAINT catalogue_orders_check2 CHECK ((total = (price - discounted_amount))),
  CONSTRAINT catalogue_orders_completed_check CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL))),
  CONSTRAINT catalogue_orders_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT catalogue_orders_discount_check CHECK ((discount >= (0)::numeric)),
  CONSTRAINT catalogue_orders_discount_type_check CHECK ((discount_type = ANY (ARRAY['percentage'::text, 'flat'::text]))),
  CONSTRAINT catalogue_orders_open_check CHECK (((status = ANY (ARRAY['placed'::text, 'processing'::text])) OR ((next_try_at IS NULL) AND (asking_until IS NULL)))),
  CONSTRAINT catalogue_orders_payment_check CHECK ((payment = ANY (ARRAY['postpaid'::text, 'prepaid'::text]))),
  CONSTRAINT catalogue_orders_price_check CHECK ((price > (0)::numeric)),
  CONSTRAINT catalogue_orders_product_check CHECK ((((num_nonnulls(top_up_id, service_id) = 2) AND (num_nonnulls(card_id, card_service_id) = 0)) OR ((num_nonnulls(card_id, card_service_id) = 2) AND (num_nonnulls(top_up_id, service_id, campaign_id) = 0)))),
  CONSTRAINT catalogue_orders_status_check CHECK ((status = ANY (ARRAY['placed'::text, 'processing'::text, 'completed'::text, 'cancelled'::text]))),
  CONSTRAINT catalogue_orders_tries_check CHECK ((tries >= 0))
);

CREATE TABLE catalogue_payments (
  id uuid NOT NULL,
  order_id integer NOT NULL,
  kind text NOT NULL,
  amount coins NOT NULL,
  principal_kind text NOT NULL,
  principal_id uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT catalogue_payments_pkey PRIMARY KEY (id),
  CONSTRAINT catalogue_payments_once UNIQUE (order_id, kind),
  CONSTRAINT catalogue_payments_order_id_fkey FOREIGN KEY (order_id) REFERENCES catalogue_orders(id),
  CONSTRAINT catalogue_payments_amount_check CHECK (((amount)::bigint > 0)),
  CONSTRAINT catalogue_payments_kind_check CHECK ((kind = ANY (ARRAY['payment'::text, 'refund'::text]))),
  CONSTRAINT catalogue_payments_principal_kind_check CHECK ((principal_kind = ANY (ARRAY['user'::text, 'admin'::text, 'key_holder'::text, 'service'::text])))
);

CREATE TABLE catalogue_reviews (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  top_up_id integer NOT NULL,
  customer_id integer NOT NULL,
  rating smallint NOT NULL,
  comment text NOT NULL,
  status smallint NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  removed_at timestamp with time zone,
  CONSTRAINT catalogue_reviews_pkey PRIMARY KEY (id),
  CONSTRAINT catalogue_reviews_customer_key UNIQUE (customer_id, top_up_id),
  CONSTRAINT catalogue_reviews_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES catalogue_customers(id),
  CONSTRAINT catalogue_reviews_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES catalogue_top_ups(id),
  CONSTRAINT catalogue_reviews_check CHECK (((removed_at IS NULL) OR (status = 0))),
  CONSTRAINT catalogue_reviews_rating_check CHECK (((rating >= 1) AND (rating <= 5))),
  CONSTRAINT catalogue_reviews_status_check CHECK ((status = ANY (ARRAY[0, 1])))
);

CREATE TABLE catalogue_services (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  top_up_id integer NOT NULL,
  name text NOT NULL,
  image_url text NOT NULL,
  currency character(3) NOT NULL,
  price numeric(16,4) NOT NULL,
  discount numeric(16,4) NOT NULL DEFAULT 0,
  discount_type text NOT NULL DEFAULT 'percentage'::text,
  status smallint NOT NULL DEFAULT 1,
  sort_by smallint NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  retired_at timestamp with time zone,
  CONSTRAINT catalogue_services_pkey PRIMARY KEY (id),
  CONSTRAINT catalogue_services_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES catalogue_top_ups(id),
  CONSTRAINT catalogue_services_check CHECK (((discount_type = 'flat'::text) OR (discount <= (100)::numeric))),
  CONSTRAINT catalogue_services_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT catalogue_services_discount_check CHECK ((discount >= (0)::numeric)),
  CONSTRAINT catalogue_services_discount_type_check CHECK ((discount_type = ANY (ARRAY['percentage'::text, 'flat'::text]))),
  CONSTRAINT catalogue_services_price_check CHECK ((price > (0)::numeric)),
  CONSTRAINT catalogue_services_status_check CHECK ((status = ANY (ARRAY[0, 1])))
);

CREATE TABLE catalogue_top_ups (
  id integer NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  category_id integer NOT NULL,
  name text NOT NULL,
  slug text NOT NULL,
  region text NOT NULL,
  note text,
  status smallint NOT NULL DEFAULT 1,
  instant_delivery smallint NOT NULL DEFAULT 0,
  image_url text NOT NULL,
  preview_url text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  guide text NOT NULL DEFAULT ''::text,
  total_review integer NOT NULL DEFAULT 0,
  rating_sum bigint NOT NULL DEFAULT 0,
  sort_by smallint NOT NULL DEFAULT 1,
  retired_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  order_information jsonb NOT NULL,
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT catalogue_top_ups_pkey PRIMARY KEY (id),
  CONSTRAINT catalogue_top_ups_slug_key UNIQUE (slug),
  CONSTRAINT catalogue_top_ups_category_id_fkey FOREIGN KEY (category_id) REFERENCES catalogue_categories(id),
  CONSTRAINT catalogue_top_ups_check CHECK (((rating_sum >= total_review) AND (rating_sum <= ((5)::bigint * total_review)))),
  CONSTRAINT catalogue_top_ups_instant_delivery_check CHECK ((instant_delivery = ANY (ARRAY[0, 1]))),
  CONSTRAINT catalogue_top_ups_order_information_check CHECK ((jsonb_typeof(order_information) = 'array'::text)),
  CONSTRAINT catalogue_top_ups_slug_check CHECK ((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text)),
  CONSTRAINT catalogue_top_ups_status_check CHECK ((status = ANY (ARRAY[0, 1]))),
  CONSTRAINT catalogue_top_ups_total_review_check CHECK ((total_review >= 0))
);

CREATE TABLE coin_grants (
  kind text NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  coins coins NOT NULL,
  reason text NOT NULL,
  principal_kind text,
  principal_id uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT coin_grants_pkey PRIMARY KEY (kind, id),
  CONSTRAINT coin_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT coin_grants_coins_check CHECK (((coins)::bigint <> 0)),
  CONSTRAINT coin_grants_principal_kind_check CHECK ((principal_kind = ANY (ARRAY['user'::text, 'admin'::text, 'key_holder'::text, 'service'::text])))
);

CREATE TABLE coin_packages (
  id uuid NOT NULL,
  name text NOT NULL,
  coins bigint NOT NULL,
  bonus_coins bigint NOT NULL DEFAULT 0,
  price bigint NOT NULL,
  currency character(3) NOT NULL,
  "position" integer NOT NULL DEFAULT 0,
  retired_at timestamp with time zone,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT coin_packages_pkey PRIMARY KEY (id),
  CONSTRAINT coin_packages_name_key UNIQUE (name),
  CONSTRAINT coin_packages_bonus_coins_check CHECK ((bonus_coins >= 0)),
  CONSTRAINT coin_packages_coins_check CHECK ((coins > 0)),
  CONSTRAINT coin_packages_price_check CHECK ((price > 0))
);

CREATE TABLE contracts (
  id uuid NOT NULL,
  agency_id uuid NOT NULL,
  host_id uuid NOT NULL,
  commission_basis_points integer NOT NULL,
  starts_at timestamp with time zone NOT NULL DEFAULT now(),
  ends_at timestamp with time zone,
  ended_by text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT contracts_pkey PRIMARY KEY (id),
  CONSTRAINT contracts_agency_id_fkey FOREIGN KEY (agency_id) REFERENCES agencies(id),
  CONSTRAINT contracts_host_id_fkey FOREIGN KEY (host_id) REFERENCES users(id),
  CONSTRAINT contracts_check CHECK ((ends_at >= starts_at)),
  CONSTRAINT contracts_commission_basis_points_check CHECK (((commission_basis_points >= 0) AND (commission_basis_points <= 10000))),
  CONSTRAINT contracts_ended_by_check CHECK ((ended_by = ANY (ARRAY['host'::text, 'agency'::text, 'admin'::text, 'erasure'::text]))),
  CONSTRAINT contracts_one_at_a_time EXCLUDE USING gist (host_id WITH =, tstzrange(starts_at, ends_at) WITH &&)
);

CREATE TABLE conversation_invites (
  id uuid NOT NULL,
  conversation_id uuid NOT NULL,
  code text NOT NULL,
  created_by uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT conversation_invites_pkey PRIMARY KEY (id),
  CONSTRAINT conversation_invites_code_key UNIQUE (code),
  CONSTRAINT conversation_invites_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversations(id),
  CONSTRAINT conversation_invites_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id)
);

CREATE TABLE conversation_members (
  conversation_id uuid NOT NULL,
  user_id uuid NOT NULL,
  peer_id uuid,
  unread bigint NOT NULL DEFAULT 0,
  active_at timestamp with time zone,
  role text,
  muted boolean NOT NULL DEFAULT false,
  read_count bigint NOT NULL DEFAULT 0,
  read_at timestamp with time zone,
  joined_at timestamp with time zone,
  left_at timestamp with time zone,
  removed boolean NOT NULL DEFAULT false,
  added_by uuid,
  CONSTRAINT conversation_members_pkey PRIMARY KEY (conversation_id, user_id),
  CONSTRAINT conversation_members_added_by_fkey FOREIGN KEY (added_by) REFERENCES users(id),
  CONSTRAINT conversation_members_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversations(id),
  CONSTRAINT conversation_members_peer_id_fkey FOREIGN KEY (peer_id) REFERENCES users(id),
  CONSTRAINT conversation_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT conversation_members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  CONSTRAINT conversation_members_unread_check CHECK ((unread >= 0))
);

CREATE TABLE conversations (
  id uuid NOT NULL,
  low_user_id uuid,
  high_user_id uuid,
  started_by uuid NOT NULL,
  message_count bigint NOT NULL DEFAULT 0,
  last_message_id uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  kind text NOT NULL DEFAULT 'direct'::text,
  name text,
  picture_url text,
  owner_id uuid,
  member_count integer NOT NULL DEFAULT 2,
  active_at timestamp with time zone,
  CONSTRAINT conversations_pkey PRIMARY KEY (id),
  CONSTRAINT conversations_pair_key UNIQUE (low_user_id, high_user_id),
  CONSTRAINT conversations_high_user_id_fkey FOREIGN KEY (high_user_id) REFERENCES users(id),
  CONSTRAINT conversations_low_user_id_fkey FOREIGN KEY (low_user_id) REFERENCES users(id),
  CONSTRAINT conversations_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(id),
  CONSTRAINT conversations_started_by_fkey FOREIGN KEY (started_by) REFERENCES users(id),
  CONSTRAINT conversations_kind_check CHECK (
CASE kind
    WHEN 'direct'::text THEN ((low_user_id IS NOT NULL) AND (high_user_id IS NOT NULL))
    WHEN 'group'::text THEN ((low_user_id IS NULL) AND (high_user_id IS NULL) AND (name IS NOT NULL))
    ELSE false
END),
  CONSTRAINT conversations_pair_order CHECK ((low_user_id < high_user_id))
);

CREATE TABLE coupon_claims (
  user_id uuid NOT NULL,
  offer_id uuid NOT NULL,
  coupon_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT coupon_claims_pkey PRIMARY KEY (user_id, offer_id),
  CONSTRAINT coupon_claims_coupon_id_fkey FOREIGN KEY (coupon_id) REFERENCES coupons(id),
  CONSTRAINT coupon_claims_offer_id_fkey FOREIGN KEY (offer_id) REFERENCES offers(id),
  CONSTRAINT coupon_claims_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE coupons (
  id uuid NOT NULL,
  offer_id uuid NOT NULL,
  name text NOT NULL,
  code text NOT NULL,
  claims_max integer,
  claims integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  retired_at timestamp with time zone,
  CONSTRAINT coupons_pkey PRIMARY KEY (id),
  CONSTRAINT coupons_code_key UNIQUE (code),
  CONSTRAINT coupons_offer_id_fkey FOREIGN KEY (offer_id) REFERENCES offers(id),
  CONSTRAINT coupons_claims_check CHECK ((claims >= 0))
);

CREATE TABLE debt_payments (
  id uuid NOT NULL,
  order_id uuid NOT NULL,
  credit coins NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT debt_payments_pkey PRIMARY KEY (id),
  CONSTRAINT debt_payments_order_id_key UNIQUE (order_id),
  CONSTRAINT debt_payments_order_id_fkey FOREIGN KEY (order_id) REFERENCES payment_orders(id),
  CONSTRAINT debt_payments_coins_check CHECK (((credit)::bigint > 0))
);

CREATE TABLE direct_message_expiry (
  only_row boolean NOT NULL DEFAULT true,
  counted_until uuid NOT NULL,
  CONSTRAINT direct_message_expiry_pkey PRIMARY KEY (only_row),
  CONSTRAINT direct_message_expiry_only_row_check CHECK (only_row)
);

CREATE TABLE direct_messages (
  id uuid NOT NULL,
  conversation_id uuid NOT NULL,
  sender_id uuid NOT NULL,
  body text NOT NULL,
  attachment_url text,
  client_id text,
  created_at timestamp with time zone NOT NULL,
  read_at timestamp with time zone,
  kind text NOT NULL DEFAULT 'text'::text,
  media jsonb,
  reply_to uuid,
  edited_at timestamp with time zone,
  deleted_at timestamp with time zone,
  reactions jsonb,
  mentions uuid[],
  CONSTRAINT direct_messages_pkey PRIMARY KEY (id),
  CONSTRAINT direct_messages_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversations(id),
  CONSTRAINT direct_messages_sender_id_fkey FOREIGN KEY (sender_id) REFERENCES users(id),
  CONSTRAINT direct_messages_kind_check CHECK ((kind = ANY (ARRAY['text'::text, 'image'::text, 'voice'::text, 'file'::text, 'sticker'::text, 'system'::text])))
);

CREATE TABLE earnings_exchanges (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  earnings bigint NOT NULL,
  coins bigint NOT NULL,
  rate integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT earnings_exchanges_pkey PRIMARY KEY (id),
  CONSTRAINT earnings_exchanges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT earnings_exchanges_coins_check CHECK ((coins > 0)),
  CONSTRAINT earnings_exchanges_earnings_check CHECK ((earnings > 0)),
  CONSTRAINT earnings_exchanges_rate_check CHECK ((rate > 0))
);

CREATE TABLE event_endpoints (
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  url text NOT NULL,
  kinds text[] NOT NULL,
  filter jsonb,
  ordered boolean NOT NULL,
  secret_sealed text,
  previous_secret_sealed text,
  previous_until timestamp with time zone,
  "position" bigint NOT NULL DEFAULT 0,
  lost bigint NOT NULL DEFAULT 0,
  failing_since timestamp with time zone,
  disabled_at timestamp with time zone,
  CONSTRAINT event_endpoints_pkey PRIMARY KEY (id)
);

CREATE TABLE event_log (
  "position" bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  id uuid NOT NULL,
  kind text NOT NULL,
  key text NOT NULL,
  data jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT event_log_pkey PRIMARY KEY ("position")
);

CREATE TABLE event_sinks (
  id uuid NOT NULL DEFAULT uuidv7(),
  name text NOT NULL,
  "position" bigint NOT NULL,
  batch_to bigint,
  lost bigint NOT NULL DEFAULT 0,
  active boolean NOT NULL DEFAULT true,
  owner uuid,
  owned_until timestamp with time zone,
  written_at timestamp with time zone,
  error text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT event_sinks_pkey PRIMARY KEY (id),
  CONSTRAINT event_sinks_name_key UNIQUE (name)
);

CREATE TABLE frame_ownerships (
  user_id uuid NOT NULL,
  frame_id uuid NOT NULL,
  expires_at timestamp with time zone,
  equipped boolean NOT NULL DEFAULT false,
  CONSTRAINT frame_ownerships_pkey PRIMARY KEY (user_id, frame_id),
  CONSTRAINT frame_ownerships_frame_id_fkey FOREIGN KEY (frame_id) REFERENCES frames(id),
  CONSTRAINT frame_ownerships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE frame_purchases (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  frame_id uuid NOT NULL,
  price bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT frame_purchases_pkey PRIMARY KEY (id),
  CONSTRAINT frame_purchases_frame_id_fkey FOREIGN KEY (frame_id) REFERENCES frames(id),
  CONSTRAINT frame_purchases_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT frame_purchases_price_check CHECK ((price > 0))
);

CREATE TABLE frames (
  id uuid NOT NULL,
  name text NOT NULL,
  image_url text NOT NULL,
  price bigint NOT NULL,
  duration_days integer,
  "position" integer NOT NULL DEFAULT 0,
  retired_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT frames_pkey PRIMARY KEY (id),
  CONSTRAINT frames_name_key UNIQUE (name),
  CONSTRAINT frames_duration_days_check CHECK (((duration_days >= 1) AND (duration_days <= 3660))),
  CONSTRAINT frames_price_check CHECK (((price >= 1) AND (price <= 1000000000)))
);

CREATE TABLE friend_requests (
  id uuid NOT NULL,
  sender_id uuid NOT NULL,
  recipient_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  answered_at timestamp with time zone,
  CONSTRAINT friend_requests_pkey PRIMARY KEY (id),
  CONSTRAINT friend_requests_recipient_id_fkey FOREIGN KEY (recipient_id) REFERENCES users(id),
  CONSTRAINT friend_requests_sender_id_fkey FOREIGN KEY (sender_id) REFERENCES users(id),
  CONSTRAINT friend_requests_answered CHECK (((status = 'pending'::text) = (answered_at IS NULL))),
  CONSTRAINT friend_requests_not_oneself CHECK ((sender_id <> recipient_id)),
  CONSTRAINT friend_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'rejected'::text, 'cancelled'::text])))
);

CREATE TABLE friendships (
  user_id uuid NOT NULL,
  friend_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT friendships_pkey PRIMARY KEY (user_id, friend_id),
  CONSTRAINT friendships_friend_id_fkey FOREIGN KEY (friend_id) REFERENCES users(id),
  CONSTRAINT friendships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT friendships_not_oneself CHECK ((user_id <> friend_id))
);

CREATE TABLE game_lobbies (
  id uuid NOT NULL,
  type text NOT NULL,
  room_id uuid,
  host_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  session_id uuid,
  epoch bigint NOT NULL DEFAULT 0,
  players jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT game_lobbies_pkey PRIMARY KEY (id),
  CONSTRAINT game_lobbies_host_id_fkey FOREIGN KEY (host_id) REFERENCES users(id),
  CONSTRAINT game_lobbies_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id),
  CONSTRAINT game_lobbies_status_check CHECK ((status = ANY (ARRAY['open'::text, 'in_game'::text, 'finished'::text, 'cancelled'::text])))
);

CREATE TABLE game_players (
  session_id uuid NOT NULL,
  user_id uuid NOT NULL,
  score integer,
  place integer,
  CONSTRAINT game_players_pkey PRIMARY KEY (session_id, user_id),
  CONSTRAINT game_players_session_id_fkey FOREIGN KEY (session_id) REFERENCES game_sessions(id),
  CONSTRAINT game_players_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE game_sessions (
  id uuid NOT NULL,
  lobby_id uuid NOT NULL,
  type text NOT NULL,
  room_id uuid,
  status text NOT NULL DEFAULT 'active'::text,
  seed text NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  state jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  finished_at timestamp with time zone,
  due_at timestamp with time zone,
  CONSTRAINT game_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT game_sessions_lobby_id_fkey FOREIGN KEY (lobby_id) REFERENCES game_lobbies(id),
  CONSTRAINT game_sessions_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id),
  CONSTRAINT game_sessions_status_check CHECK ((status = ANY (ARRAY['active'::text, 'finished'::text, 'abandoned'::text])))
);

CREATE TABLE gift_categories (
  id uuid NOT NULL,
  name text NOT NULL,
  "position" integer NOT NULL DEFAULT 0,
  retired_at timestamp with time zone,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT gift_categories_pkey PRIMARY KEY (id),
  CONSTRAINT gift_categories_name_key UNIQUE (name)
);

CREATE TABLE gift_shares (
  gift_transaction_id uuid NOT NULL,
  taker text NOT NULL,
  asset text NOT NULL,
  user_id uuid NOT NULL,
  amount bigint NOT NULL,
  bought bigint NOT NULL,
  CONSTRAINT gift_shares_pkey PRIMARY KEY (gift_transaction_id, taker, asset),
  CONSTRAINT gift_shares_gift_transaction_id_fkey FOREIGN KEY (gift_transaction_id) REFERENCES gift_transactions(id),
  CONSTRAINT gift_shares_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT gift_shares_amount_check CHECK ((amount > 0)),
  CONSTRAINT gift_shares_asset_check CHECK ((asset = ANY (ARRAY['coins'::text, 'earnings'::text]))),
  CONSTRAINT gift_shares_check CHECK ((((bought >= 0) AND (bought <= amount)) AND ((bought = 0) OR (asset = 'coins'::text)))),
  CONSTRAINT gift_shares_taker_check CHECK ((taker = ANY (ARRAY['receiver'::text, 'owner'::text, 'agency'::text])))
);

CREATE TABLE gift_transactions (
  id uuid NOT NULL,
  gift_id uuid NOT NULL,
  room_id uuid NOT NULL,
  sender_id uuid NOT NULL,
  recipient_id uuid NOT NULL,
  quantity integer NOT NULL,
  unit_price bigint NOT NULL,
  total_coins coins NOT NULL,
  recipient_coins coins NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  plan_id uuid,
  bought_coins bigint NOT NULL DEFAULT 0,
  CONSTRAINT gift_transactions_pkey PRIMARY KEY (id),
  CONSTRAINT gift_transactions_gift_id_fkey FOREIGN KEY (gift_id) REFERENCES gifts(id),
  CONSTRAINT gift_transactions_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES split_plans(id),
  CONSTRAINT gift_transactions_recipient_id_fkey FOREIGN KEY (recipient_id) REFERENCES users(id),
  CONSTRAINT gift_transactions_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id),
  CONSTRAINT gift_transactions_sender_id_fkey FOREIGN KEY (sender_id) REFERENCES users(id),
  CONSTRAINT gift_transactions_bought CHECK (((bought_coins >= 0) AND (bought_coins <= (total_coins)::bigint))) NOT VALID,
  CONSTRAINT gift_transactions_check CHECK (((total_coins)::bigint = (unit_price * quantity))),
  CONSTRAINT gift_transactions_check1 CHECK ((((recipient_coins)::bigint >= 0) AND ((recipient_coins)::bigint <= (total_coins)::bigint))),
  CONSTRAINT gift_transactions_not_to_oneself CHECK ((sender_id <> recipient_id)),
  CONSTRAINT gift_transactions_quantity_check CHECK (((quantity >= 1) AND (quantity <= 999)))
);

CREATE TABLE gifts (
  id uuid NOT NULL,
  category_id uuid NOT NULL,
  name text NOT NULL,
  image_url text NOT NULL,
  animation_url text,
  price bigint NOT NULL,
  "position" integer NOT NULL DEFAULT 0,
  retired_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT gifts_pkey PRIMARY KEY (id),
  CONSTRAINT gifts_category_id_name_key UNIQUE (category_id, name),
  CONSTRAINT gifts_category_id_fkey FOREIGN KEY (category_id) REFERENCES gift_categories(id),
  CONSTRAINT gifts_price_check CHECK (((price >= 1) AND (price <= 1000000000)))
);

CREATE TABLE held_content (
  id uuid NOT NULL,
  place text NOT NULL,
  user_id uuid NOT NULL,
  target_id uuid,
  text text NOT NULL,
  input jsonb,
  client_id text,
  circumstances jsonb,
  rule_id uuid,
  rule_name text NOT NULL,
  harm smallint NOT NULL,
  status text NOT NULL,
  content_id uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  due_at timestamp with time zone NOT NULL DEFAULT (now() + '24:00:00'::interval),
  decided_at timestamp with time zone,
  decided_by uuid,
  note text NOT NULL DEFAULT ''::text,
  delivered_at timestamp with time zone,
  rule_version integer,
  reason text,
  shadowed boolean NOT NULL DEFAULT false,
  CONSTRAINT held_content_pkey PRIMARY KEY (id),
  CONSTRAINT held_content_user_id_target_id_client_id_key UNIQUE (user_id, target_id, client_id),
  CONSTRAINT held_content_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES admins(id),
  CONSTRAINT held_content_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT held_content_status_check CHECK ((status = ANY (ARRAY['judging'::text, 'held'::text, 'shown'::text, 'released'::text, 'rejected'::text])))
);

CREATE TABLE http_hooks (
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 1,
  moment text NOT NULL,
  target text NOT NULL,
  url text NOT NULL,
  deadline_ms integer NOT NULL,
  failure text NOT NULL,
  secret_sealed text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  previous_secret_sealed text,
  previous_until timestamp with time zone,
  CONSTRAINT http_hooks_pkey PRIMARY KEY (id),
  CONSTRAINT http_hooks_deadline_ms_check CHECK (((deadline_ms >= 10) AND (deadline_ms <= 5000))),
  CONSTRAINT http_hooks_failure_check CHECK ((failure = ANY (ARRAY['open'::text, 'closed'::text]))),
  CONSTRAINT http_hooks_moment_check CHECK ((moment = ANY (ARRAY['before'::text, 'after'::text])))
);

CREATE TABLE idempotency_keys (
  scope text NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  answer json,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (scope, key)
);

CREATE TABLE identities (
  provider text NOT NULL,
  subject text NOT NULL,
  user_id uuid NOT NULL,
  email text,
  email_verified boolean NOT NULL DEFAULT false,
  secret text,
  linked_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone,
  last_notice_at timestamp with time zone,
  CONSTRAINT identities_pkey PRIMARY KEY (provider, subject),
  CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT identities_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255)))
);

CREATE TABLE kyc_cases (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  provider text NOT NULL,
  reference text,
  status text NOT NULL,
  level smallint NOT NULL DEFAULT 0,
  expires_at timestamp with time zone,
  reason text NOT NULL DEFAULT ''::text,
  decided_by uuid,
  decided_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT kyc_cases_pkey PRIMARY KEY (id),
  CONSTRAINT kyc_cases_provider_reference_key UNIQUE (provider, reference),
  CONSTRAINT kyc_cases_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES admins(id),
  CONSTRAINT kyc_cases_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT kyc_cases_check CHECK ((((level >= 0) AND (level <= 9)) AND ((level = 0) OR (status = 'approved'::text)))),
  CONSTRAINT kyc_cases_check1 CHECK (((decided_at IS NULL) = (status = 'pending'::text))),
  CONSTRAINT kyc_cases_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text])))
);

CREATE TABLE leaderboard_minutes (
  minute timestamp with time zone NOT NULL,
  CONSTRAINT leaderboard_minutes_pkey PRIMARY KEY (minute)
);

CREATE TABLE leaderboard_scores (
  scope text NOT NULL,
  week date NOT NULL,
  subject_id uuid NOT NULL,
  score bigint NOT NULL,
  reached_at timestamp with time zone NOT NULL,
  CONSTRAINT leaderboard_scores_pkey PRIMARY KEY (scope, week, subject_id),
  CONSTRAINT leaderboard_scores_scope_check CHECK ((scope = ANY (ARRAY['popular_rooms'::text, 'top_hosts'::text, 'gift_senders'::text, 'gift_receivers'::text, 'activity'::text]))),
  CONSTRAINT leaderboard_scores_score_check CHECK ((score > 0)),
  CONSTRAINT leaderboard_scores_week_check CHECK ((EXTRACT(isodow FROM week) = (1)::numeric))
);

CREATE TABLE ledger_blocks (
  no bigint NOT NULL,
  root bytea NOT NULL,
  CONSTRAINT ledger_blocks_pkey PRIMARY KEY (no),
  CONSTRAINT ledger_blocks_root_check CHECK ((length(root) = 32))
);

CREATE TABLE ledger_chain (
  seq bigint NOT NULL,
  movement_id uuid NOT NULL,
  hash text NOT NULL,
  CONSTRAINT ledger_chain_pkey PRIMARY KEY (seq),
  CONSTRAINT ledger_chain_movement_id_key UNIQUE (movement_id)
);

CREATE TABLE ledger_entries (
  id uuid NOT NULL,
  movement_id uuid NOT NULL,
  type text NOT NULL,
  user_id uuid,
  house text,
  amount coins NOT NULL,
  balance_after coins,
  entry_no bigint,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  asset asset NOT NULL DEFAULT 'coins'::text,
  bought bigint NOT NULL DEFAULT 0,
  CONSTRAINT ledger_entries_pkey PRIMARY KEY (id),
  CONSTRAINT ledger_entries_movement_id_fkey FOREIGN KEY (movement_id) REFERENCES ledger_movements(id),
  CONSTRAINT ledger_entries_wallet_fkey FOREIGN KEY (user_id, asset) REFERENCES wallets(user_id, asset),
  CONSTRAINT ledger_entries_amount_check CHECK (((amount)::bigint <> 0)),
  CONSTRAINT ledger_entries_balance_after_check CHECK (((balance_after)::bigint >= 0)),
  CONSTRAINT ledger_entries_bought CHECK ((((bought >= LEAST((amount)::bigint, (0)::bigint)) AND (bought <= GREATEST((amount)::bigint, (0)::bigint))) AND ((bought = 0) OR ((asset)::text = 'coins'::text)))) NOT VALID,
  CONSTRAINT ledger_entries_entry_no_check CHECK ((entry_no >= 1)),
  CONSTRAINT ledger_entries_house_check CHECK (
CASE asset
    WHEN 'coins'::text THEN ((house = ANY (ARRAY['issue'::text, 'gift_revenue'::text, 'store_revenue'::text, 'debt'::text, 'exchange'::text])) OR (house ~ '^ext_[a-z_]{2,30}$'::text))
    WHEN 'earnings'::text THEN (house = ANY (ARRAY['issue'::text, 'exchange'::text, 'debt'::text, 'payouts_held'::text, 'payouts_sent'::text, 'paid_out'::text]))
    ELSE (house = ANY (ARRAY['payments'::text, 'catalogue_revenue'::text, 'adjustments'::text, 'debt'::text, 'exchange'::text]))
END) NOT VALID,
  CONSTRAINT ledger_entries_one_account CHECK (((user_id IS NULL) <> (house IS NULL))),
  CONSTRAINT ledger_entries_wallet_balance CHECK (((user_id IS NULL) = (balance_after IS NULL))),
  CONSTRAINT ledger_entries_wallet_order CHECK (((user_id IS NULL) = (entry_no IS NULL)))
);

CREATE TABLE ledger_leaves (
  seq bigint NOT NULL,
  movement_id uuid NOT NULL,
  salt bytea NOT NULL,
  leaf bytea NOT NULL,
  CONSTRAINT ledger_leaves_pkey PRIMARY KEY (seq),
  CONSTRAINT ledger_leaves_movement_id_key UNIQUE (movement_id),
  CONSTRAINT ledger_leaves_leaf_check CHECK ((length(leaf) = 32)),
  CONSTRAINT ledger_leaves_salt_check CHECK ((length(salt) = 16))
);

CREATE TABLE ledger_movements (
  id uuid NOT NULL,
  reference_type text NOT NULL,
  reference_id uuid NOT NULL,
  description text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  principal_kind text,
  principal_id uuid,
  CONSTRAINT ledger_movements_pkey PRIMARY KEY (id),
  CONSTRAINT ledger_movements_once UNIQUE (reference_type, reference_id),
  CONSTRAINT ledger_movements_principal_kind_check CHECK ((principal_kind = ANY (ARRAY['user'::text, 'admin'::text, 'key_holder'::text, 'service'::text])))
);

CREATE TABLE ledger_tree_heads (
  seq bigint NOT NULL,
  hash text NOT NULL,
  signed_at text NOT NULL,
  signature text NOT NULL,
  public_key text NOT NULL,
  CONSTRAINT ledger_tree_heads_pkey PRIMARY KEY (seq)
);

CREATE TABLE live_rooms (
  room_id uuid NOT NULL,
  epoch bigint NOT NULL,
  category text NOT NULL,
  member_count integer NOT NULL,
  seated_count integer NOT NULL,
  process_id text NOT NULL,
  CONSTRAINT live_rooms_pkey PRIMARY KEY (room_id),
  CONSTRAINT live_rooms_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id) ON DELETE CASCADE,
  CONSTRAINT live_rooms_member_count_check CHECK ((member_count > 0)),
  CONSTRAINT live_rooms_seated_count_check CHECK ((seated_count >= 0))
);

CREATE TABLE login_codes (
  subject bytea NOT NULL,
  code_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT login_codes_pkey PRIMARY KEY (subject)
);

CREATE TABLE mail_outbox (
  id uuid NOT NULL,
  user_id uuid,
  channel text NOT NULL,
  recipient text NOT NULL,
  subject text,
  text_body text NOT NULL,
  html_body text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT mail_outbox_pkey PRIMARY KEY (id),
  CONSTRAINT mail_outbox_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT mail_outbox_channel_check CHECK ((channel = ANY (ARRAY['mail'::text, 'sms'::text])))
);

CREATE TABLE media (
  id uuid NOT NULL,
  user_id uuid,
  purpose text NOT NULL,
  state text NOT NULL DEFAULT 'pending'::text,
  reason text,
  content_type text NOT NULL,
  bytes integer NOT NULL,
  sha256 text,
  name text,
  waveform jsonb,
  card jsonb,
  attempts smallint NOT NULL DEFAULT 0,
  uses integer NOT NULL DEFAULT 0,
  unused_since timestamp with time zone DEFAULT now(),
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  begun_at timestamp with time zone,
  rule_id uuid,
  rule_version integer,
  CONSTRAINT media_pkey PRIMARY KEY (id),
  CONSTRAINT media_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT media_bytes_check CHECK ((bytes > 0)),
  CONSTRAINT media_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT media_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'processing'::text, 'ready'::text, 'rejected'::text, 'deleted'::text])))
);

CREATE TABLE message_edits (
  message_id uuid NOT NULL,
  user_id uuid NOT NULL,
  body text NOT NULL,
  edited_at timestamp with time zone NOT NULL,
  CONSTRAINT message_edits_pkey PRIMARY KEY (message_id, edited_at),
  CONSTRAINT message_edits_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE message_pins (
  message_id uuid NOT NULL,
  place_id uuid NOT NULL,
  pinned_by uuid NOT NULL,
  pinned_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT message_pins_pkey PRIMARY KEY (message_id),
  CONSTRAINT message_pins_pinned_by_fkey FOREIGN KEY (pinned_by) REFERENCES users(id)
);

CREATE TABLE message_reactions (
  message_id uuid NOT NULL,
  emoji text NOT NULL,
  user_id uuid NOT NULL,
  CONSTRAINT message_reactions_pkey PRIMARY KEY (message_id, user_id, emoji),
  CONSTRAINT message_reactions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE migrations (
  name text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT migrations_pkey PRIMARY KEY (name)
);

CREATE TABLE notification_events (
  user_id uuid NOT NULL,
  event_key text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT notification_events_pkey PRIMARY KEY (user_id, event_key),
  CONSTRAINT notification_events_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE notification_mails (
  user_id uuid NOT NULL,
  type text NOT NULL,
  about uuid NOT NULL,
  mailed_at timestamp with time zone NOT NULL,
  CONSTRAINT notification_mails_pkey PRIMARY KEY (user_id, type),
  CONSTRAINT notification_mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE notification_parts (
  user_id uuid NOT NULL,
  event_key text NOT NULL,
  notification_id uuid NOT NULL,
  actor_id uuid,
  data jsonb NOT NULL,
  place timestamp with time zone NOT NULL,
  CONSTRAINT notification_parts_pkey PRIMARY KEY (user_id, event_key),
  CONSTRAINT notification_parts_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES users(id),
  CONSTRAINT notification_parts_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES notifications(id) ON DELETE CASCADE,
  CONSTRAINT notification_parts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE notifications (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  type text NOT NULL,
  group_key text NOT NULL,
  actor_id uuid,
  events bigint NOT NULL DEFAULT 1,
  coins coins NOT NULL DEFAULT 0,
  data jsonb NOT NULL DEFAULT '{}'::jsonb,
  read_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT notifications_pkey PRIMARY KEY (id),
  CONSTRAINT notifications_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES users(id),
  CONSTRAINT notifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT notifications_coins_check CHECK (((coins)::bigint >= 0)),
  CONSTRAINT notifications_data_check CHECK ((jsonb_typeof(data) = 'object'::text)),
  CONSTRAINT notifications_events_check CHECK ((events > 0))
);

CREATE TABLE offer_uses (
  offer_id uuid NOT NULL,
  user_id uuid NOT NULL,
  uses integer NOT NULL,
  CONSTRAINT offer_uses_pkey PRIMARY KEY (offer_id, user_id),
  CONSTRAINT offer_uses_offer_id_fkey FOREIGN KEY (offer_id) REFERENCES offers(id),
  CONSTRAINT offer_uses_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT offer_uses_uses_check CHECK ((uses >= 0))
);

CREATE TABLE offers (
  id uuid NOT NULL,
  name text NOT NULL,
  kind text NOT NULL,
  bonus_percent integer NOT NULL DEFAULT 0,
  bonus_coins bigint NOT NULL DEFAULT 0,
  discount_percent integer NOT NULL DEFAULT 0,
  package_ids text[] NOT NULL DEFAULT '{}'::text[],
  countries text[] NOT NULL DEFAULT '{}'::text[],
  user_ids text[] NOT NULL DEFAULT '{}'::text[],
  new_user_days integer,
  starts_at timestamp with time zone,
  ends_at timestamp with time zone,
  hours jsonb,
  total_limit integer,
  person_limit integer,
  used integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  retired_at timestamp with time zone,
  CONSTRAINT offers_pkey PRIMARY KEY (id),
  CONSTRAINT offers_name_key UNIQUE (name),
  CONSTRAINT offers_bonus_coins_check CHECK ((bonus_coins >= 0)),
  CONSTRAINT offers_bonus_percent_check CHECK ((bonus_percent >= 0)),
  CONSTRAINT offers_discount_percent_check CHECK (((discount_percent >= 0) AND (discount_percent <= 90))),
  CONSTRAINT offers_end_after_start CHECK ((ends_at > starts_at)),
  CONSTRAINT offers_kind_check CHECK ((kind = ANY (ARRAY['first_purchase'::text, 'happy_hours'::text, 'coupon'::text, 'campaign'::text]))),
  CONSTRAINT offers_used_check CHECK ((used >= 0))
);

CREATE TABLE online_users (
  user_id uuid NOT NULL,
  process_id text NOT NULL,
  lease_until timestamp with time zone NOT NULL,
  CONSTRAINT online_users_pkey PRIMARY KEY (user_id, process_id)
);

CREATE TABLE outbox (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  topic text NOT NULL,
  payload jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT outbox_pkey PRIMARY KEY (id)
);

CREATE TABLE outbox_dead_letters (
  id bigint NOT NULL,
  topic text NOT NULL,
  payload jsonb NOT NULL,
  slot smallint NOT NULL,
  target text NOT NULL,
  attempts integer NOT NULL,
  error text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  died_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT outbox_dead_letters_pkey PRIMARY KEY (id)
);

CREATE TABLE outbox_deliveries (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  topic text NOT NULL,
  payload jsonb NOT NULL,
  slot smallint NOT NULL,
  target text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_at timestamp with time zone NOT NULL DEFAULT now(),
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT outbox_deliveries_pkey PRIMARY KEY (id)
);

CREATE TABLE password_resets (
  token_hash bytea NOT NULL,
  user_id uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT password_resets_pkey PRIMARY KEY (token_hash),
  CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE payment_events (
  id uuid NOT NULL,
  provider text NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  summary jsonb NOT NULL,
  outcome text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  body_sha256 bytea,
  CONSTRAINT payment_events_pkey PRIMARY KEY (id),
  CONSTRAINT payment_events_once UNIQUE (provider, body_sha256),
  CONSTRAINT payment_events_body_sha256_check CHECK ((length(body_sha256) = 32))
);

CREATE TABLE payment_findings (
  id uuid NOT NULL,
  provider text NOT NULL,
  day date NOT NULL,
  kind text NOT NULL,
  subject text NOT NULL,
  provider_id text NOT NULL,
  order_id uuid,
  amount_here bigint,
  amount_there bigint,
  currency text,
  status text NOT NULL DEFAULT 'open'::text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT payment_findings_pkey PRIMARY KEY (id),
  CONSTRAINT payment_findings_once UNIQUE (provider, subject, provider_id, kind),
  CONSTRAINT payment_findings_order_id_fkey FOREIGN KEY (order_id) REFERENCES payment_orders(id),
  CONSTRAINT payment_findings_kind_check CHECK ((kind = ANY (ARRAY['missing_here'::text, 'missing_there'::text, 'amount'::text, 'state'::text]))),
  CONSTRAINT payment_findings_status_check CHECK ((status = ANY (ARRAY['open'::text, 'settled'::text, 'closed'::text]))),
  CONSTRAINT payment_findings_subject_check CHECK ((subject = ANY (ARRAY['payment'::text, 'refund'::text])))
);

CREATE TABLE payment_orders (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL,
  status text NOT NULL DEFAULT 'created'::text,
  amount bigint NOT NULL,
  currency character(3) NOT NULL,
  title text NOT NULL,
  credit coins NOT NULL DEFAULT 0,
  package_id uuid,
  plan_id uuid,
  duration_days integer,
  provider text NOT NULL,
  provider_order_id text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  paid_at timestamp with time zone,
  refunded_at timestamp with time zone,
  asset asset NOT NULL DEFAULT 'coins'::text,
  coins bigint NOT NULL GENERATED ALWAYS AS (
CASE
    WHEN ((asset)::text = 'coins'::text) THEN (credit)::bigint
    ELSE (0)::bigint
END) STORED,
  checkout_url text,
  offer_id uuid,
  list_amount bigint,
  offer_bonus bigint,
  offer_held boolean NOT NULL DEFAULT false,
  flag text,
  renews boolean NOT NULL DEFAULT false,
  bought bigint NOT NULL DEFAULT 0,
  CONSTRAINT payment_orders_pkey PRIMARY KEY (id),
  CONSTRAINT payment_orders_provider_key UNIQUE (provider, provider_order_id),
  CONSTRAINT payment_orders_offer_id_fkey FOREIGN KEY (offer_id) REFERENCES offers(id),
  CONSTRAINT payment_orders_package_id_fkey FOREIGN KEY (package_id) REFERENCES coin_packages(id),
  CONSTRAINT payment_orders_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES vip_plans(id),
  CONSTRAINT payment_orders_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT payment_orders_amount_check CHECK (((amount >= 0) AND (amount <= '1000000000000'::bigint))),
  CONSTRAINT payment_orders_bought CHECK (((bought >= 0) AND (bought <= (credit)::bigint))) NOT VALID,
  CONSTRAINT payment_orders_buys_one_thing CHECK (
CASE kind
    WHEN 'coins'::text THEN (((credit)::bigint > 0) AND ((asset)::text = 'coins'::text) AND (package_id IS NOT NULL) AND (plan_id IS NULL) AND (duration_days IS NULL))
    WHEN 'deposit'::text THEN (((credit)::bigint > 0) AND (((asset)::text = (currency)::text) OR ((asset)::text = 'XCS'::text)) AND (package_id IS NULL) AND (plan_id IS NULL) AND (duration_days IS NULL))
    ELSE (((credit)::bigint = 0) AND (package_id IS NULL) AND (plan_id IS NOT NULL) AND (duration_days IS NOT NULL))
END) NOT VALID,
  CONSTRAINT payment_orders_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT payment_orders_duration_days_check CHECK (((duration_days >= 1) AND (duration_days <= 3660))),
  CONSTRAINT payment_orders_kind_check CHECK ((kind = ANY (ARRAY['coins'::text, 'vip'::text, 'deposit'::text]))),
  CONSTRAINT payment_orders_paid CHECK (((status = ANY (ARRAY['paid'::text, 'refunded'::text])) = (paid_at IS NOT NULL))),
  CONSTRAINT payment_orders_refunded CHECK (((status = 'refunded'::text) = (refunded_at IS NOT NULL))),
  CONSTRAINT payment_orders_status_check CHECK ((status = ANY (ARRAY['created'::text, 'paid'::text, 'failed'::text, 'expired'::text, 'refunded'::text])))
);

CREATE TABLE payment_refund_requests (
  id uuid NOT NULL,
  payment_id uuid NOT NULL,
  amount bigint NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  failure text,
  reason text NOT NULL,
  requested_by uuid NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamp with time zone NOT NULL DEFAULT now(),
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT payment_refund_requests_pkey PRIMARY KEY (id),
  CONSTRAINT payment_refund_requests_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  CONSTRAINT payment_refund_requests_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES admins(id),
  CONSTRAINT payment_refund_requests_amount_check CHECK ((amount > 0)),
  CONSTRAINT payment_refund_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text])))
);

CREATE TABLE payment_refund_reversals (
  id uuid NOT NULL,
  refund_id uuid NOT NULL,
  credit coins NOT NULL,
  debt coins NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  shares bigint NOT NULL DEFAULT 0,
  CONSTRAINT payment_refund_reversals_pkey PRIMARY KEY (id),
  CONSTRAINT payment_refund_reversals_refund_id_key UNIQUE (refund_id),
  CONSTRAINT payment_refund_reversals_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES payment_refunds(id),
  CONSTRAINT payment_refund_reversals_check CHECK ((((debt)::bigint >= 0) AND ((debt)::bigint <= (credit)::bigint))),
  CONSTRAINT payment_refund_reversals_credit_check CHECK (((credit)::bigint >= 0)),
  CONSTRAINT payment_refund_reversals_shares CHECK (((shares >= 0) AND (((debt)::bigint + shares) <= (credit)::bigint)))
);

CREATE TABLE payment_refunds (
  id uuid NOT NULL,
  payment_id uuid NOT NULL,
  provider text NOT NULL,
  provider_refund_id text NOT NULL,
  amount bigint NOT NULL,
  credit coins NOT NULL,
  debt coins NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  reconciled_at timestamp with time zone,
  shares bigint NOT NULL DEFAULT 0,
  dispute text,
  CONSTRAINT payment_refunds_pkey PRIMARY KEY (id),
  CONSTRAINT payment_refunds_provider_key UNIQUE (provider, provider_refund_id),
  CONSTRAINT payment_refunds_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  CONSTRAINT payment_refunds_amount_check CHECK ((amount >= 0)),
  CONSTRAINT payment_refunds_check CHECK ((((debt)::bigint >= 0) AND ((debt)::bigint <= (credit)::bigint))),
  CONSTRAINT payment_refunds_coins_check CHECK (((credit)::bigint >= 0)),
  CONSTRAINT payment_refunds_dispute_check CHECK ((dispute = ANY (ARRAY['open'::text, 'won'::text, 'lost'::text]))) NOT VALID,
  CONSTRAINT payment_refunds_shares CHECK (((shares >= 0) AND (((debt)::bigint + shares) <= (credit)::bigint))) NOT VALID
);

CREATE TABLE payments (
  id uuid NOT NULL,
  order_id uuid NOT NULL,
  provider text NOT NULL,
  provider_payment_id text NOT NULL,
  amount bigint NOT NULL,
  settles boolean NOT NULL,
  refunded_amount bigint NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  reconciled_at timestamp with time zone,
  CONSTRAINT payments_pkey PRIMARY KEY (id),
  CONSTRAINT payments_provider_key UNIQUE (provider, provider_payment_id),
  CONSTRAINT payments_order_id_fkey FOREIGN KEY (order_id) REFERENCES payment_orders(id),
  CONSTRAINT payments_amount_check CHECK ((amount >= 0)),
  CONSTRAINT payments_check CHECK (((refunded_amount >= 0) AND (refunded_amount <= amount)))
);

CREATE TABLE payout_batches (
  id uuid NOT NULL,
  currency text NOT NULL,
  payouts integer NOT NULL,
  net bigint NOT NULL,
  created_by uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT payout_batches_pkey PRIMARY KEY (id),
  CONSTRAINT payout_batches_created_by_fkey FOREIGN KEY (created_by) REFERENCES admins(id),
  CONSTRAINT payout_batches_net_check CHECK ((net > 0)),
  CONSTRAINT payout_batches_payouts_check CHECK ((payouts > 0))
);

CREATE TABLE payout_methods (
  id uuid NOT NULL,
  name text NOT NULL,
  kind text NOT NULL,
  countries text[] NOT NULL DEFAULT '{}'::text[],
  fields text[] NOT NULL,
  provider text NOT NULL,
  currency text NOT NULL,
  rate bigint NOT NULL,
  fee_fixed bigint NOT NULL DEFAULT 0,
  fee_basis_points integer NOT NULL DEFAULT 0,
  min bigint NOT NULL DEFAULT 1,
  daily_max bigint NOT NULL DEFAULT 0,
  monthly_max bigint NOT NULL DEFAULT 0,
  zone text NOT NULL DEFAULT 'UTC'::text,
  kyc_level smallint NOT NULL DEFAULT 1,
  retired_at timestamp with time zone,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT payout_methods_pkey PRIMARY KEY (id),
  CONSTRAINT payout_methods_name_key UNIQUE (name),
  CONSTRAINT payout_methods_daily_max_check CHECK ((daily_max >= 0)),
  CONSTRAINT payout_methods_fee_basis_points_check CHECK (((fee_basis_points >= 0) AND (fee_basis_points <= 10000))),
  CONSTRAINT payout_methods_fee_fixed_check CHECK ((fee_fixed >= 0)),
  CONSTRAINT payout_methods_fields_check CHECK ((cardinality(fields) > 0)),
  CONSTRAINT payout_methods_kind_check CHECK ((kind = ANY (ARRAY['upi'::text, 'bank'::text, 'wallet'::text]))),
  CONSTRAINT payout_methods_kyc_level_check CHECK (((kyc_level >= 1) AND (kyc_level <= 9))),
  CONSTRAINT payout_methods_min_check CHECK ((min > 0)),
  CONSTRAINT payout_methods_monthly_max_check CHECK ((monthly_max >= 0)),
  CONSTRAINT payout_methods_provider_check CHECK ((provider = ANY (ARRAY['sandbox'::text, 'razorpayx'::text, 'bank_file'::text]))),
  CONSTRAINT payout_methods_rate_check CHECK ((rate > 0))
);

CREATE TABLE payout_steps (
  id uuid NOT NULL,
  payout_id uuid NOT NULL,
  status text NOT NULL,
  from_house text,
  to_house text,
  principal_kind text NOT NULL,
  principal_id uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT payout_steps_pkey PRIMARY KEY (id),
  CONSTRAINT payout_steps_payout_id_status_key UNIQUE (payout_id, status),
  CONSTRAINT payout_steps_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id),
  CONSTRAINT payout_steps_check CHECK ((from_house IS DISTINCT FROM to_house)),
  CONSTRAINT payout_steps_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'sent'::text, 'settled'::text, 'returned'::text, 'declined'::text])))
);

CREATE TABLE payouts (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  method_id uuid NOT NULL,
  kind text NOT NULL,
  provider text NOT NULL,
  status text NOT NULL DEFAULT 'requested'::text,
  amount bigint NOT NULL,
  currency text NOT NULL,
  rate bigint NOT NULL,
  fee bigint NOT NULL,
  net bigint NOT NULL,
  shown text NOT NULL,
  details_sealed text,
  account_ref text,
  provider_id text,
  reference text,
  failure text,
  flag text,
  batch_id uuid,
  first_approved_by uuid,
  approved_by uuid,
  resolved_by uuid,
  attempted_at timestamp with time zone,
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamp with time zone,
  approved_at timestamp with time zone,
  sent_at timestamp with time zone,
  ended_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT payouts_pkey PRIMARY KEY (id),
  CONSTRAINT payouts_provider_provider_id_key UNIQUE (provider, provider_id),
  CONSTRAINT payouts_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES admins(id),
  CONSTRAINT payouts_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES payout_batches(id),
  CONSTRAINT payouts_first_approved_by_fkey FOREIGN KEY (first_approved_by) REFERENCES admins(id),
  CONSTRAINT payouts_method_id_fkey FOREIGN KEY (method_id) REFERENCES payout_methods(id),
  CONSTRAINT payouts_resolved_by_fkey FOREIGN KEY (resolved_by) REFERENCES admins(id),
  CONSTRAINT payouts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT payouts_amount_check CHECK ((amount > 0)),
  CONSTRAINT payouts_fee_check CHECK ((fee >= 0)),
  CONSTRAINT payouts_flag_check CHECK ((flag = ANY (ARRAY['amount'::text, 'second'::text, 'rejected_late'::text, 'paid_after_return'::text]))),
  CONSTRAINT payouts_net_check CHECK ((net > 0)),
  CONSTRAINT payouts_status_check CHECK ((status = ANY (ARRAY['requested'::text, 'approved'::text, 'sent'::text, 'settled'::text, 'returned'::text, 'declined'::text])))
);

CREATE TABLE policy_texts (
  id uuid NOT NULL,
  key text NOT NULL,
  language text NOT NULL,
  title text NOT NULL,
  body_markdown text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT policy_texts_pkey PRIMARY KEY (id),
  CONSTRAINT policy_texts_key_language_key UNIQUE (key, language)
);

CREATE TABLE post_comments (
  id uuid NOT NULL,
  post_id uuid NOT NULL,
  author_id uuid NOT NULL,
  content text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  deleted_at timestamp with time zone,
  moderation text,
  status_reason text,
  CONSTRAINT post_comments_pkey PRIMARY KEY (id),
  CONSTRAINT post_comments_author_id_fkey FOREIGN KEY (author_id) REFERENCES users(id),
  CONSTRAINT post_comments_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts(id),
  CONSTRAINT post_comments_moderated CHECK (((moderation IS NULL) OR (deleted_at IS NOT NULL))),
  CONSTRAINT post_comments_moderation_check CHECK ((moderation = ANY (ARRAY['hidden'::text, 'removed'::text])))
);

CREATE TABLE post_likes (
  post_id uuid NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT post_likes_pkey PRIMARY KEY (post_id, user_id),
  CONSTRAINT post_likes_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts(id),
  CONSTRAINT post_likes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE posts (
  id uuid NOT NULL,
  author_id uuid NOT NULL,
  content text NOT NULL DEFAULT ''::text,
  media jsonb NOT NULL DEFAULT '[]'::jsonb,
  visibility text NOT NULL DEFAULT 'public'::text,
  status text NOT NULL DEFAULT 'visible'::text,
  status_reason text,
  likes_count bigint NOT NULL DEFAULT 0,
  comments_count bigint NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  deleted_at timestamp with time zone,
  CONSTRAINT posts_pkey PRIMARY KEY (id),
  CONSTRAINT posts_author_id_fkey FOREIGN KEY (author_id) REFERENCES users(id),
  CONSTRAINT posts_comments_count_check CHECK ((comments_count >= 0)),
  CONSTRAINT posts_deleted_removed CHECK (((deleted_at IS NULL) OR (status = 'removed'::text))),
  CONSTRAINT posts_likes_count_check CHECK ((likes_count >= 0)),
  CONSTRAINT posts_media_check CHECK ((jsonb_typeof(media) = 'array'::text)),
  CONSTRAINT posts_status_check CHECK ((status = ANY (ARRAY['visible'::text, 'hidden'::text, 'removed'::text]))),
  CONSTRAINT posts_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'followers'::text])))
);

CREATE TABLE purchase_clearances (
  user_id uuid NOT NULL,
  cleared_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT purchase_clearances_pkey PRIMARY KEY (user_id),
  CONSTRAINT purchase_clearances_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE receipt_series (
  series text NOT NULL,
  year integer NOT NULL,
  last integer NOT NULL,
  CONSTRAINT receipt_series_pkey PRIMARY KEY (series, year)
);

CREATE TABLE receipts (
  id uuid NOT NULL,
  order_id uuid NOT NULL,
  kind text NOT NULL,
  number text NOT NULL,
  seller_name text NOT NULL,
  seller_address text NOT NULL,
  seller_tax_id text NOT NULL,
  country text,
  tax_rate integer,
  net bigint NOT NULL,
  tax bigint NOT NULL,
  gross bigint NOT NULL,
  currency text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT receipts_pkey PRIMARY KEY (id),
  CONSTRAINT receipts_number_key UNIQUE (number),
  CONSTRAINT receipts_order_id_fkey FOREIGN KEY (order_id) REFERENCES payment_orders(id),
  CONSTRAINT receipts_adds_up CHECK (((net + tax) = gross)),
  CONSTRAINT receipts_kind_check CHECK ((kind = ANY (ARRAY['receipt'::text, 'credit_note'::text, 'debit_note'::text])))
);

CREATE TABLE refresh_tokens (
  token_hash bytea NOT NULL,
  session_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT refresh_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);

CREATE TABLE refund_gifts (
  refund_id uuid NOT NULL,
  gift_transaction_id uuid NOT NULL,
  coins bigint NOT NULL,
  released bigint NOT NULL DEFAULT 0,
  CONSTRAINT refund_gifts_pkey PRIMARY KEY (refund_id, gift_transaction_id),
  CONSTRAINT refund_gifts_gift_transaction_id_fkey FOREIGN KEY (gift_transaction_id) REFERENCES gift_transactions(id),
  CONSTRAINT refund_gifts_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES payment_refunds(id),
  CONSTRAINT refund_gifts_check CHECK (((released >= 0) AND (released <= coins))),
  CONSTRAINT refund_gifts_coins_check CHECK ((coins > 0))
);

CREATE TABLE refund_shares (
  refund_id uuid NOT NULL,
  user_id uuid NOT NULL,
  asset text NOT NULL,
  amount bigint NOT NULL,
  debt bigint NOT NULL,
  reversal_id uuid,
  returned bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0,
  CONSTRAINT refund_shares_pkey PRIMARY KEY (refund_id, user_id, asset),
  CONSTRAINT refund_shares_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES payment_refunds(id),
  CONSTRAINT refund_shares_reversal_id_fkey FOREIGN KEY (reversal_id) REFERENCES payment_refund_reversals(id),
  CONSTRAINT refund_shares_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT refund_shares_amount_check CHECK ((amount > 0)),
  CONSTRAINT refund_shares_asset_check CHECK ((asset = ANY (ARRAY['coins'::text, 'earnings'::text]))),
  CONSTRAINT refund_shares_check CHECK (((debt >= 0) AND (debt <= amount))),
  CONSTRAINT refund_shares_check1 CHECK ((((returned >= 0) AND (returned <= amount)) AND ((returned = 0) OR (reversal_id IS NOT NULL)))),
  CONSTRAINT refund_shares_check2 CHECK (((cancelled >= 0) AND (cancelled <= LEAST(debt, returned))))
);

CREATE TABLE refund_transfers (
  refund_id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  coins bigint NOT NULL,
  taken bigint NOT NULL,
  released bigint NOT NULL DEFAULT 0,
  CONSTRAINT refund_transfers_pkey PRIMARY KEY (refund_id, transfer_id),
  CONSTRAINT refund_transfers_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES payment_refunds(id),
  CONSTRAINT refund_transfers_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES seller_transfers(id),
  CONSTRAINT refund_transfers_check CHECK (((taken >= 0) AND (taken <= coins))),
  CONSTRAINT refund_transfers_check1 CHECK (((released >= 0) AND (released <= coins))),
  CONSTRAINT refund_transfers_coins_check CHECK ((coins > 0))
);

CREATE TABLE removals (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL,
  content_id uuid NOT NULL,
  text text NOT NULL,
  kept jsonb,
  removed_by uuid,
  appeal_id uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  restored_at timestamp with time zone,
  reason text NOT NULL DEFAULT ''::text,
  CONSTRAINT removals_pkey PRIMARY KEY (id),
  CONSTRAINT removals_appeal_id_fkey FOREIGN KEY (appeal_id) REFERENCES appeals(id),
  CONSTRAINT removals_removed_by_fkey FOREIGN KEY (removed_by) REFERENCES admins(id),
  CONSTRAINT removals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT removals_kind_check CHECK ((kind = ANY (ARRAY['post'::text, 'comment'::text, 'room_message'::text, 'direct_message'::text, 'held'::text, 'picture'::text])))
);

CREATE TABLE reports (
  id uuid NOT NULL,
  reporter_id uuid NOT NULL,
  target_type text NOT NULL,
  target_id uuid NOT NULL,
  target_user_id uuid NOT NULL,
  reason text NOT NULL,
  details text NOT NULL DEFAULT ''::text,
  evidence jsonb NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  closed_at timestamp with time zone,
  closed_by uuid,
  note text NOT NULL DEFAULT ''::text,
  claimed_by uuid,
  claimed_until timestamp with time zone,
  action text,
  CONSTRAINT reports_pkey PRIMARY KEY (id),
  CONSTRAINT reports_claimed_by_fkey FOREIGN KEY (claimed_by) REFERENCES admins(id),
  CONSTRAINT reports_closed_by_fkey FOREIGN KEY (closed_by) REFERENCES admins(id),
  CONSTRAINT reports_reporter_id_fkey FOREIGN KEY (reporter_id) REFERENCES users(id),
  CONSTRAINT reports_target_user_id_fkey FOREIGN KEY (target_user_id) REFERENCES users(id),
  CONSTRAINT reports_action_check CHECK ((action = ANY (ARRAY['warn'::text, 'hide'::text, 'remove'::text, 'suspend'::text]))),
  CONSTRAINT reports_claimed CHECK (((claimed_by IS NULL) = (claimed_until IS NULL))),
  CONSTRAINT reports_closed CHECK (((status = 'open'::text) = (closed_at IS NULL))),
  CONSTRAINT reports_status_check CHECK ((status = ANY (ARRAY['open'::text, 'resolved'::text, 'dismissed'::text]))),
  CONSTRAINT reports_target_type_check CHECK ((target_type = ANY (ARRAY['user'::text, 'room'::text, 'message'::text, 'post'::text, 'comment'::text])))
);

CREATE TABLE reversed_refunds (
  provider text NOT NULL,
  provider_refund_id text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT reversed_refunds_pkey PRIMARY KEY (provider, provider_refund_id)
);

CREATE TABLE roles (
  id uuid NOT NULL,
  name text NOT NULL,
  permissions text[] NOT NULL DEFAULT '{}'::text[],
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT roles_pkey PRIMARY KEY (id),
  CONSTRAINT roles_name_key UNIQUE (name)
);

CREATE TABLE room_bans (
  room_id uuid NOT NULL,
  user_id uuid NOT NULL,
  banned_by uuid NOT NULL,
  banned_until timestamp with time zone NOT NULL,
  reason text NOT NULL DEFAULT ''::text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT room_bans_pkey PRIMARY KEY (room_id, user_id),
  CONSTRAINT room_bans_banned_by_fkey FOREIGN KEY (banned_by) REFERENCES users(id),
  CONSTRAINT room_bans_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id),
  CONSTRAINT room_bans_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE room_messages (
  id uuid NOT NULL,
  room_id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL DEFAULT 'text'::text,
  body text NOT NULL,
  client_id text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  deleted_at timestamp with time zone,
  deleted_by uuid,
  media jsonb,
  reply_to uuid,
  mentions uuid[],
  edited_at timestamp with time zone,
  reactions jsonb,
  CONSTRAINT room_messages_pkey PRIMARY KEY (id),
  CONSTRAINT room_messages_deleted_by_fkey FOREIGN KEY (deleted_by) REFERENCES users(id),
  CONSTRAINT room_messages_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id),
  CONSTRAINT room_messages_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT room_messages_kind_check CHECK ((kind = ANY (ARRAY['text'::text, 'image'::text, 'voice'::text, 'file'::text, 'sticker'::text, 'system'::text])))
) PARTITION BY RANGE (id);

CREATE TABLE room_moderators (
  room_id uuid NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT room_moderators_pkey PRIMARY KEY (room_id, user_id),
  CONSTRAINT room_moderators_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id),
  CONSTRAINT room_moderators_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE room_presence (
  user_id uuid NOT NULL,
  room_id uuid NOT NULL,
  join_id uuid NOT NULL,
  previous_room_id uuid,
  previous_join_id uuid,
  CONSTRAINT room_presence_pkey PRIMARY KEY (user_id)
);

CREATE TABLE room_rules (
  room_id uuid NOT NULL,
  rules jsonb NOT NULL,
  changed_by uuid,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT room_rules_pkey PRIMARY KEY (room_id),
  CONSTRAINT room_rules_changed_by_fkey FOREIGN KEY (changed_by) REFERENCES users(id),
  CONSTRAINT room_rules_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id)
);

CREATE TABLE room_states (
  room_id uuid NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  live jsonb,
  CONSTRAINT room_states_pkey PRIMARY KEY (room_id),
  CONSTRAINT room_states_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id)
);

CREATE TABLE rooms (
  id uuid NOT NULL,
  host_id uuid NOT NULL,
  name text NOT NULL,
  category text NOT NULL,
  language text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  is_private boolean NOT NULL DEFAULT false,
  password_hash text,
  seat_count integer NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  close_reason text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  closed_at timestamp with time zone,
  cover_url text,
  announcement text NOT NULL DEFAULT ''::text,
  welcome text NOT NULL DEFAULT ''::text,
  slow_mode_seconds smallint NOT NULL DEFAULT 0,
  links_allowed boolean NOT NULL DEFAULT true,
  CONSTRAINT rooms_pkey PRIMARY KEY (id),
  CONSTRAINT rooms_host_id_fkey FOREIGN KEY (host_id) REFERENCES users(id),
  CONSTRAINT rooms_seat_count_check CHECK (((seat_count >= 1) AND (seat_count <= 100))),
  CONSTRAINT rooms_status_check CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text])))
);

CREATE TABLE rules (
  id uuid NOT NULL,
  name text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  scope jsonb NOT NULL,
  trigger jsonb NOT NULL,
  action jsonb NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT rules_pkey PRIMARY KEY (id),
  CONSTRAINT rules_name_key UNIQUE (name)
);

CREATE TABLE run_corrections (
  id uuid NOT NULL,
  contract_id uuid NOT NULL,
  salary bigint NOT NULL,
  commission bigint NOT NULL,
  reason text NOT NULL,
  run_id uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT run_corrections_pkey PRIMARY KEY (id),
  CONSTRAINT run_corrections_contract_id_fkey FOREIGN KEY (contract_id) REFERENCES contracts(id),
  CONSTRAINT run_corrections_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)
);

CREATE TABLE run_lines (
  id uuid NOT NULL,
  run_id uuid NOT NULL,
  contract_id uuid NOT NULL,
  agency_id uuid NOT NULL,
  host_id uuid NOT NULL,
  owner_id uuid NOT NULL,
  earnings bigint NOT NULL,
  seat_seconds bigint NOT NULL,
  seat_days integer NOT NULL,
  weight integer NOT NULL,
  level text,
  salary bigint NOT NULL,
  commission bigint NOT NULL,
  how jsonb NOT NULL,
  paid_at timestamp with time zone,
  CONSTRAINT run_lines_pkey PRIMARY KEY (id),
  CONSTRAINT run_lines_once UNIQUE (run_id, contract_id),
  CONSTRAINT run_lines_commission_check CHECK ((commission >= 0)),
  CONSTRAINT run_lines_salary_check CHECK ((salary >= 0))
);

CREATE TABLE run_sums (
  run_id uuid NOT NULL,
  contract_ids uuid[] NOT NULL,
  amounts bigint[] NOT NULL,
  CONSTRAINT run_sums_pkey PRIMARY KEY (run_id),
  CONSTRAINT run_sums_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id)
);

CREATE TABLE runs (
  id uuid NOT NULL,
  period text NOT NULL,
  starts_on date NOT NULL,
  time_zone text NOT NULL,
  starts_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  status text NOT NULL DEFAULT 'draft'::text,
  line_count integer,
  salaries bigint,
  commissions bigint,
  hash text,
  problems jsonb NOT NULL DEFAULT '[]'::jsonb,
  created_by uuid NOT NULL,
  approved_by uuid,
  second_approved_by uuid,
  paid_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  steps integer,
  steps_done integer NOT NULL DEFAULT 0,
  step_sizes text,
  CONSTRAINT runs_pkey PRIMARY KEY (id),
  CONSTRAINT runs_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES admins(id),
  CONSTRAINT runs_created_by_fkey FOREIGN KEY (created_by) REFERENCES admins(id),
  CONSTRAINT runs_second_approved_by_fkey FOREIGN KEY (second_approved_by) REFERENCES admins(id),
  CONSTRAINT runs_check CHECK ((ends_at > starts_at)),
  CONSTRAINT runs_check1 CHECK ((second_approved_by <> approved_by)),
  CONSTRAINT runs_period_check CHECK ((period = ANY (ARRAY['week'::text, 'month'::text]))),
  CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'checked'::text, 'approved'::text, 'paid'::text, 'cancelled'::text])))
);

CREATE TABLE sanction_targets (
  sanction_id uuid NOT NULL,
  kind text NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT sanction_targets_pkey PRIMARY KEY (sanction_id, hash),
  CONSTRAINT sanction_targets_sanction_id_fkey FOREIGN KEY (sanction_id) REFERENCES sanctions(id),
  CONSTRAINT sanction_targets_kind_check CHECK ((kind = ANY (ARRAY['device'::text, 'network'::text])))
);

CREATE TABLE sanctions (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  kinds text[] NOT NULL,
  until timestamp with time zone,
  reason text NOT NULL,
  created_by uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  lifted_at timestamp with time zone,
  rule_id uuid,
  rule_version integer,
  report_id uuid,
  acknowledged_at timestamp with time zone,
  covers text[] NOT NULL DEFAULT '{}'::text[],
  suspends boolean NOT NULL DEFAULT false,
  CONSTRAINT sanctions_pkey PRIMARY KEY (id),
  CONSTRAINT sanctions_created_by_fkey FOREIGN KEY (created_by) REFERENCES admins(id),
  CONSTRAINT sanctions_report_id_fkey FOREIGN KEY (report_id) REFERENCES reports(id),
  CONSTRAINT sanctions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE sandbox_deliveries (
  order_id integer NOT NULL,
  behaviour text NOT NULL,
  calls integer NOT NULL,
  received boolean NOT NULL,
  CONSTRAINT sandbox_deliveries_pkey PRIMARY KEY (order_id)
);

CREATE TABLE sandbox_orders (
  id text NOT NULL,
  receipt uuid NOT NULL,
  amount bigint NOT NULL,
  currency character(3) NOT NULL,
  title text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT sandbox_orders_pkey PRIMARY KEY (id),
  CONSTRAINT sandbox_orders_receipt_key UNIQUE (receipt)
);

CREATE TABLE sandbox_payments (
  id text NOT NULL,
  order_id text NOT NULL,
  status text NOT NULL,
  refund_id text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT sandbox_payments_pkey PRIMARY KEY (id),
  CONSTRAINT sandbox_payments_order_id_fkey FOREIGN KEY (order_id) REFERENCES sandbox_orders(id),
  CONSTRAINT sandbox_payments_status_check CHECK ((status = ANY (ARRAY['captured'::text, 'failed'::text, 'refunded'::text])))
);

CREATE TABLE sealed_keys (
  name text NOT NULL,
  key_sealed text NOT NULL,
  CONSTRAINT sealed_keys_pkey PRIMARY KEY (name)
);

CREATE TABLE seat_sessions (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  room_id uuid NOT NULL,
  started_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone NOT NULL,
  CONSTRAINT seat_sessions_pkey PRIMARY KEY (ended_at, id),
  CONSTRAINT seat_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT seat_sessions_check CHECK ((ended_at > started_at))
);

CREATE TABLE seller_reversals (
  id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  recipient_id uuid NOT NULL,
  debt bigint NOT NULL,
  reason text NOT NULL,
  reversed_by uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  followed bigint NOT NULL DEFAULT 0,
  paid bigint NOT NULL DEFAULT 0,
  CONSTRAINT seller_reversals_pkey PRIMARY KEY (id),
  CONSTRAINT seller_reversals_once UNIQUE (transfer_id, followed),
  CONSTRAINT seller_reversals_recipient_id_fkey FOREIGN KEY (recipient_id) REFERENCES users(id),
  CONSTRAINT seller_reversals_reversed_by_fkey FOREIGN KEY (reversed_by) REFERENCES admins(id),
  CONSTRAINT seller_reversals_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES seller_transfers(id),
  CONSTRAINT seller_reversals_debt_check CHECK ((debt >= 0)),
  CONSTRAINT seller_reversals_followed_check CHECK ((followed >= 0)),
  CONSTRAINT seller_reversals_paid_check CHECK ((paid >= 0))
);

CREATE TABLE seller_transfers (
  id uuid NOT NULL,
  seller_id uuid NOT NULL,
  recipient_id uuid NOT NULL,
  coins bigint NOT NULL,
  bought bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT seller_transfers_pkey PRIMARY KEY (id),
  CONSTRAINT seller_transfers_recipient_id_fkey FOREIGN KEY (recipient_id) REFERENCES users(id),
  CONSTRAINT seller_transfers_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES users(id),
  CONSTRAINT seller_transfers_check CHECK (((bought >= 0) AND (bought <= coins))),
  CONSTRAINT seller_transfers_check1 CHECK ((seller_id <> recipient_id)),
  CONSTRAINT seller_transfers_coins_check CHECK ((coins > 0))
);

CREATE TABLE sellers (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL DEFAULT ''::text,
  is_active boolean NOT NULL DEFAULT true,
  daily_limit bigint NOT NULL,
  recipient_daily_limit bigint NOT NULL DEFAULT 0,
  discount_basis_points integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT sellers_pkey PRIMARY KEY (id),
  CONSTRAINT sellers_user_id_key UNIQUE (user_id),
  CONSTRAINT sellers_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT sellers_daily_limit_check CHECK ((daily_limit > 0)),
  CONSTRAINT sellers_discount_basis_points_check CHECK (((discount_basis_points >= 0) AND (discount_basis_points <= 9000))),
  CONSTRAINT sellers_recipient_daily_limit_check CHECK ((recipient_daily_limit >= 0))
);

CREATE TABLE server_keys (
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 1,
  name text NOT NULL,
  permissions text[] NOT NULL,
  calls_per_minute integer NOT NULL,
  expires_at timestamp with time zone,
  created_by uuid,
  hash bytea,
  previous_hash bytea,
  previous_until timestamp with time zone,
  bots uuid[] NOT NULL DEFAULT '{}'::uuid[],
  last_used_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT server_keys_pkey PRIMARY KEY (id),
  CONSTRAINT server_keys_hash_key UNIQUE (hash),
  CONSTRAINT server_keys_previous_hash_key UNIQUE (previous_hash),
  CONSTRAINT server_keys_created_by_fkey FOREIGN KEY (created_by) REFERENCES admins(id) ON DELETE CASCADE,
  CONSTRAINT server_keys_calls_per_minute_check CHECK (((calls_per_minute >= 1) AND (calls_per_minute <= 6000)))
);

CREATE TABLE sessions (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  user_agent text,
  ip text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  revoked_reason text,
  way text,
  device_hash bytea,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE settings (
  key text NOT NULL,
  value jsonb NOT NULL,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_by uuid,
  version bigint NOT NULL DEFAULT nextval('settings_version_seq'::regclass),
  CONSTRAINT settings_pkey PRIMARY KEY (key)
);

CREATE TABLE share_debt_payments (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  asset text NOT NULL,
  amount bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  exchange_id uuid,
  CONSTRAINT share_debt_payments_pkey PRIMARY KEY (id),
  CONSTRAINT share_debt_payments_exchange_id_key UNIQUE (exchange_id),
  CONSTRAINT share_debt_payments_exchange_id_fkey FOREIGN KEY (exchange_id) REFERENCES earnings_exchanges(id),
  CONSTRAINT share_debt_payments_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT share_debt_payments_amount_check CHECK ((amount > 0)),
  CONSTRAINT share_debt_payments_asset_check CHECK ((asset = ANY (ARRAY['coins'::text, 'earnings'::text]))),
  CONSTRAINT share_debt_payments_exchange CHECK (((exchange_id IS NULL) OR (asset = 'coins'::text)))
);

CREATE TABLE signup_bonus_addresses (
  address bytea NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT signup_bonus_addresses_pkey PRIMARY KEY (address)
);

CREATE TABLE signup_bonus_networks (
  network bytea NOT NULL,
  day date NOT NULL,
  bonuses integer NOT NULL,
  CONSTRAINT signup_bonus_networks_pkey PRIMARY KEY (day, network)
);

CREATE TABLE split_plans (
  id uuid NOT NULL,
  name text NOT NULL,
  shares jsonb NOT NULL,
  gift_ids text[] NOT NULL DEFAULT '{}'::text[],
  category_ids text[] NOT NULL DEFAULT '{}'::text[],
  countries text[] NOT NULL DEFAULT '{}'::text[],
  starts_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone,
  retired_at timestamp with time zone,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT split_plans_pkey PRIMARY KEY (id),
  CONSTRAINT split_plans_name_key UNIQUE (name),
  CONSTRAINT split_plans_check CHECK ((ends_at > starts_at))
);

CREATE TABLE stat_progress (
  one boolean NOT NULL DEFAULT true,
  counted_until timestamp with time zone,
  CONSTRAINT stat_progress_pkey PRIMARY KEY (one),
  CONSTRAINT stat_progress_one_check CHECK (one)
);

CREATE TABLE stat_quarters (
  metric text NOT NULL,
  quarter timestamp with time zone NOT NULL,
  value bigint NOT NULL,
  CONSTRAINT stat_quarters_pkey PRIMARY KEY (metric, quarter) INCLUDE (value),
  CONSTRAINT stat_quarters_quarter_check CHECK ((date_bin('00:15:00'::interval, quarter, '2000-01-01 00:00:00+00'::timestamp with time zone) = quarter))
);

CREATE TABLE stat_totals (
  metric text NOT NULL,
  value bigint NOT NULL,
  CONSTRAINT stat_totals_pkey PRIMARY KEY (metric)
);

CREATE TABLE sticker_packs (
  id uuid NOT NULL,
  name text NOT NULL,
  image_url text NOT NULL,
  "position" integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  retired_at timestamp with time zone,
  CONSTRAINT sticker_packs_pkey PRIMARY KEY (id),
  CONSTRAINT sticker_packs_name_key UNIQUE (name)
);

CREATE TABLE stickers (
  id uuid NOT NULL,
  pack_id uuid NOT NULL,
  name text NOT NULL,
  image_url text NOT NULL,
  "position" integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  retired_at timestamp with time zone,
  CONSTRAINT stickers_pkey PRIMARY KEY (id),
  CONSTRAINT stickers_pack_id_name_key UNIQUE (pack_id, name),
  CONSTRAINT stickers_pack_id_fkey FOREIGN KEY (pack_id) REFERENCES sticker_packs(id)
);

CREATE TABLE store_positions (
  store text NOT NULL,
  voided_until timestamp with time zone NOT NULL,
  CONSTRAINT store_positions_pkey PRIMARY KEY (store),
  CONSTRAINT store_positions_store_check CHECK ((store = 'google'::text))
);

CREATE TABLE store_products (
  id uuid NOT NULL,
  store text NOT NULL,
  product_id text NOT NULL,
  coin_package_id uuid,
  vip_plan_id uuid,
  prices jsonb NOT NULL DEFAULT '[]'::jsonb,
  retired_at timestamp with time zone,
  version integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT store_products_pkey PRIMARY KEY (id),
  CONSTRAINT store_products_key UNIQUE (store, product_id),
  CONSTRAINT store_products_coin_package_id_fkey FOREIGN KEY (coin_package_id) REFERENCES coin_packages(id),
  CONSTRAINT store_products_vip_plan_id_fkey FOREIGN KEY (vip_plan_id) REFERENCES vip_plans(id),
  CONSTRAINT store_products_product_id_check CHECK (((length(product_id) >= 1) AND (length(product_id) <= 255))),
  CONSTRAINT store_products_sell_one_thing CHECK (((coin_package_id IS NULL) <> (vip_plan_id IS NULL))),
  CONSTRAINT store_products_store_check CHECK ((store = ANY (ARRAY['apple'::text, 'google'::text])))
);

CREATE TABLE store_purchases (
  id uuid NOT NULL,
  provider text NOT NULL,
  environment text NOT NULL,
  transaction_id text NOT NULL,
  original_transaction_id text NOT NULL,
  user_id uuid,
  product_id uuid,
  order_id uuid,
  subscription_id uuid,
  state text NOT NULL,
  receipt_sha256 bytea NOT NULL,
  purchased_at timestamp with time zone NOT NULL,
  period_starts_at timestamp with time zone,
  period_ends_at timestamp with time zone,
  acknowledge_due_at timestamp with time zone,
  acknowledged_at timestamp with time zone,
  refunded_at timestamp with time zone,
  reversed_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT store_purchases_pkey PRIMARY KEY (id),
  CONSTRAINT store_purchases_key UNIQUE (provider, transaction_id),
  CONSTRAINT store_purchases_order_id_key UNIQUE (order_id),
  CONSTRAINT store_purchases_order_id_fkey FOREIGN KEY (order_id) REFERENCES payment_orders(id),
  CONSTRAINT store_purchases_product_id_fkey FOREIGN KEY (product_id) REFERENCES store_products(id),
  CONSTRAINT store_purchases_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES subscriptions(id),
  CONSTRAINT store_purchases_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT store_purchases_environment_check CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text]))),
  CONSTRAINT store_purchases_period CHECK ((period_ends_at > period_starts_at)),
  CONSTRAINT store_purchases_provider_check CHECK ((provider = ANY (ARRAY['apple'::text, 'google'::text, 'stripe'::text]))),
  CONSTRAINT store_purchases_receipt_sha256_check CHECK ((length(receipt_sha256) = 32)),
  CONSTRAINT store_purchases_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'paid'::text, 'acknowledged'::text, 'refunded'::text, 'revoked'::text, 'disputed'::text])))
);

CREATE TABLE subscriptions (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  provider text NOT NULL,
  provider_subscription_id text NOT NULL,
  plan_id uuid NOT NULL,
  status text NOT NULL,
  auto_renew boolean NOT NULL,
  current_period_starts_at timestamp with time zone NOT NULL,
  current_period_ends_at timestamp with time zone NOT NULL,
  grace_until timestamp with time zone,
  pending_plan_id uuid,
  price_consent text,
  event_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT subscriptions_pkey PRIMARY KEY (id),
  CONSTRAINT subscriptions_key UNIQUE (provider, provider_subscription_id),
  CONSTRAINT subscriptions_pending_plan_id_fkey FOREIGN KEY (pending_plan_id) REFERENCES vip_plans(id),
  CONSTRAINT subscriptions_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES vip_plans(id),
  CONSTRAINT subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT subscriptions_price_consent_check CHECK ((price_consent = ANY (ARRAY['pending'::text, 'agreed'::text]))),
  CONSTRAINT subscriptions_provider_check CHECK ((provider = ANY (ARRAY['apple'::text, 'google'::text, 'stripe'::text]))),
  CONSTRAINT subscriptions_status_check CHECK ((status = ANY (ARRAY['active'::text, 'grace'::text, 'retry'::text, 'paused'::text, 'canceled'::text, 'expired'::text, 'revoked'::text])))
);

CREATE TABLE support_tickets (
  id uuid NOT NULL,
  user_id uuid,
  email text NOT NULL,
  subject text NOT NULL,
  message text NOT NULL,
  status text NOT NULL DEFAULT 'open'::text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  media jsonb,
  CONSTRAINT support_tickets_pkey PRIMARY KEY (id),
  CONSTRAINT support_tickets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT support_tickets_status_check CHECK ((status = ANY (ARRAY['open'::text, 'answered'::text, 'closed'::text])))
);

CREATE TABLE terms_acceptances (
  user_id uuid NOT NULL,
  version text NOT NULL,
  accepted_at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT terms_acceptances_pkey PRIMARY KEY (user_id, version),
  CONSTRAINT terms_acceptances_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE text_days (
  day date NOT NULL,
  country character(2) NOT NULL,
  sent integer NOT NULL,
  used integer NOT NULL DEFAULT 0,
  price_class text,
  CONSTRAINT text_days_pkey PRIMARY KEY (day, country),
  CONSTRAINT text_days_price_class_check CHECK ((price_class ~ '^[A-Za-z0-9_.-]{1,30}$'::text))
);

CREATE TABLE ticket_answers (
  id uuid NOT NULL,
  ticket_id uuid NOT NULL,
  admin_id uuid NOT NULL,
  message text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT ticket_answers_pkey PRIMARY KEY (id),
  CONSTRAINT ticket_answers_admin_id_fkey FOREIGN KEY (admin_id) REFERENCES admins(id),
  CONSTRAINT ticket_answers_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES support_tickets(id)
);

CREATE TABLE used_nonces (
  nonce bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT used_nonces_pkey PRIMARY KEY (nonce)
);

CREATE TABLE user_blocks (
  blocker_id uuid NOT NULL,
  blocked_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT user_blocks_pkey PRIMARY KEY (blocker_id, blocked_id),
  CONSTRAINT user_blocks_blocked_id_fkey FOREIGN KEY (blocked_id) REFERENCES users(id),
  CONSTRAINT user_blocks_blocker_id_fkey FOREIGN KEY (blocker_id) REFERENCES users(id),
  CONSTRAINT user_blocks_not_oneself CHECK ((blocker_id <> blocked_id))
);

CREATE TABLE user_counters (
  user_id uuid NOT NULL,
  followers_count bigint NOT NULL DEFAULT 0,
  following_count bigint NOT NULL DEFAULT 0,
  CONSTRAINT user_counters_pkey PRIMARY KEY (user_id),
  CONSTRAINT user_counters_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT user_counters_followers_count_check CHECK ((followers_count >= 0)),
  CONSTRAINT user_counters_following_count_check CHECK ((following_count >= 0))
);

CREATE TABLE user_devices (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  session_id uuid NOT NULL,
  platform text NOT NULL,
  device_uid text NOT NULL,
  push_token text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT user_devices_pkey PRIMARY KEY (id),
  CONSTRAINT user_devices_token_key UNIQUE (push_token),
  CONSTRAINT user_devices_uid_key UNIQUE (user_id, device_uid),
  CONSTRAINT user_devices_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  CONSTRAINT user_devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT user_devices_platform_check CHECK ((platform = ANY (ARRAY['android'::text, 'ios'::text, 'web'::text])))
);

CREATE TABLE user_export_pieces (
  export_id uuid NOT NULL,
  attempt smallint NOT NULL,
  number integer NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT user_export_pieces_pkey PRIMARY KEY (export_id, attempt, number),
  CONSTRAINT user_export_pieces_export_id_fkey FOREIGN KEY (export_id) REFERENCES user_exports(id) ON DELETE CASCADE
);

CREATE TABLE user_exports (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  state text NOT NULL DEFAULT 'queued'::text,
  attempt smallint NOT NULL DEFAULT 0,
  progress smallint NOT NULL DEFAULT 0,
  bytes bigint,
  downloads smallint NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  ready_at timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT user_exports_pkey PRIMARY KEY (id),
  CONSTRAINT user_exports_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT user_exports_progress_check CHECK (((progress >= 0) AND (progress <= 100))),
  CONSTRAINT user_exports_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'ready'::text, 'failed'::text])))
);

CREATE TABLE user_follows (
  follower_id uuid NOT NULL,
  followed_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT user_follows_pkey PRIMARY KEY (follower_id, followed_id),
  CONSTRAINT user_follows_followed_id_fkey FOREIGN KEY (followed_id) REFERENCES users(id),
  CONSTRAINT user_follows_follower_id_fkey FOREIGN KEY (follower_id) REFERENCES users(id),
  CONSTRAINT user_follows_not_oneself CHECK ((follower_id <> followed_id))
);

CREATE TABLE user_recovery_codes (
  user_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  CONSTRAINT user_recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  CONSTRAINT user_recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE users (
  id uuid NOT NULL,
  username text NOT NULL,
  email text,
  mobile text,
  full_name text NOT NULL,
  password_hash text,
  date_of_birth date,
  bio text NOT NULL DEFAULT ''::text,
  country character(2),
  avatar_url text,
  cover_url text,
  settings jsonb NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  suspended_at timestamp with time zone,
  suspended_reason text,
  email_verified_at timestamp with time zone,
  mobile_verified_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  deletion_due_at timestamp with time zone,
  erased_at timestamp with time zone,
  suspended_until timestamp with time zone,
  username_made boolean NOT NULL DEFAULT false,
  is_guest boolean NOT NULL DEFAULT false,
  language text,
  totp_secret_sealed text,
  totp_confirmed_at timestamp with time zone,
  totp_last_step bigint NOT NULL DEFAULT 0,
  guest_ended_at timestamp with time zone,
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_username_key UNIQUE (username),
  CONSTRAINT users_deletion_due CHECK (((deletion_due_at IS NULL) OR (status = ANY (ARRAY['deletion_pending'::text, 'suspended'::text])))),
  CONSTRAINT users_email_lower CHECK ((email = lower(email))),
  CONSTRAINT users_erased_deleted CHECK (((erased_at IS NULL) OR (status = 'deleted'::text))),
  CONSTRAINT users_language_check CHECK ((language ~ '^[a-z]{2}$'::text)),
  CONSTRAINT users_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deletion_pending'::text, 'deleted'::text]))),
  CONSTRAINT users_suspended_until CHECK (((suspended_until IS NULL) OR (status = 'suspended'::text))),
  CONSTRAINT users_username_lower CHECK ((username = lower(username)))
);

CREATE TABLE verification_codes (
  subject bytea NOT NULL,
  user_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT verification_codes_pkey PRIMARY KEY (subject, user_id),
  CONSTRAINT verification_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE verification_tries (
  subject bytea NOT NULL,
  counter bytea NOT NULL,
  tries integer NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT verification_tries_pkey PRIMARY KEY (subject, counter)
);

CREATE TABLE vip_periods (
  order_id uuid NOT NULL,
  user_id uuid NOT NULL,
  plan_id uuid NOT NULL,
  starts_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  subscription_id uuid,
  CONSTRAINT vip_periods_pkey PRIMARY KEY (order_id),
  CONSTRAINT vip_periods_order_id_fkey FOREIGN KEY (order_id) REFERENCES payment_orders(id),
  CONSTRAINT vip_periods_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES vip_plans(id),
  CONSTRAINT vip_periods_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES subscriptions(id),
  CONSTRAINT vip_periods_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT vip_periods_check CHECK ((ends_at > starts_at))
);

CREATE TABLE vip_plans (
  id uuid NOT NULL,
  name text NOT NULL,
  price bigint NOT NULL,
  currency character(3) NOT NULL,
  duration_days integer NOT NULL,
  benefits text[] NOT NULL DEFAULT '{}'::text[],
  badge_url text,
  "position" integer NOT NULL DEFAULT 0,
  retired_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  renews boolean NOT NULL DEFAULT false,
  CONSTRAINT vip_plans_pkey PRIMARY KEY (id),
  CONSTRAINT vip_plans_name_key UNIQUE (name),
  CONSTRAINT vip_plans_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT vip_plans_duration_days_check CHECK (((duration_days >= 1) AND (duration_days <= 3660))),
  CONSTRAINT vip_plans_price_check CHECK (((price >= 1) AND (price <= '1000000000000'::bigint)))
);

CREATE TABLE voice_evidence (
  id uuid NOT NULL,
  room_id uuid NOT NULL,
  key_sealed text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  requested_by uuid,
  requested_at timestamp with time zone,
  reason text,
  approved_by uuid,
  approved_at timestamp with time zone,
  CONSTRAINT voice_evidence_pkey PRIMARY KEY (id),
  CONSTRAINT voice_evidence_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES admins(id),
  CONSTRAINT voice_evidence_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES admins(id),
  CONSTRAINT voice_evidence_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id),
  CONSTRAINT voice_evidence_check CHECK ((approved_by <> requested_by))
);

CREATE TABLE voice_evidence_pieces (
  evidence_id uuid NOT NULL,
  number integer NOT NULL,
  user_id uuid NOT NULL,
  started_at timestamp with time zone NOT NULL,
  samples integer NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT voice_evidence_pieces_pkey PRIMARY KEY (evidence_id, number),
  CONSTRAINT voice_evidence_pieces_evidence_id_fkey FOREIGN KEY (evidence_id) REFERENCES voice_evidence(id) ON DELETE CASCADE,
  CONSTRAINT voice_evidence_pieces_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE voice_evidence_reports (
  report_id uuid NOT NULL,
  evidence_id uuid NOT NULL,
  CONSTRAINT voice_evidence_reports_pkey PRIMARY KEY (report_id, evidence_id),
  CONSTRAINT voice_evidence_reports_evidence_id_fkey FOREIGN KEY (evidence_id) REFERENCES voice_evidence(id) ON DELETE CASCADE,
  CONSTRAINT voice_evidence_reports_report_id_fkey FOREIGN KEY (report_id) REFERENCES reports(id) ON DELETE CASCADE
);

CREATE TABLE voice_grants (
  room_id uuid NOT NULL,
  user_id uuid NOT NULL,
  media_right text,
  changes integer NOT NULL DEFAULT 0,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  due_at timestamp with time zone NOT NULL DEFAULT now(),
  leased_until timestamp with time zone,
  attempts integer NOT NULL DEFAULT 0,
  absent_since timestamp with time zone,
  CONSTRAINT voice_grants_pkey PRIMARY KEY (room_id, user_id),
  CONSTRAINT voice_grants_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id),
  CONSTRAINT voice_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT voice_grants_media_right_check CHECK ((media_right = ANY (ARRAY['publish'::text, 'listen'::text])))
);

CREATE TABLE voice_watches (
  room_id uuid NOT NULL,
  look_at timestamp with time zone NOT NULL,
  watch_until timestamp with time zone NOT NULL,
  CONSTRAINT voice_watches_pkey PRIMARY KEY (room_id),
  CONSTRAINT voice_watches_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id)
);

CREATE TABLE wallets (
  user_id uuid NOT NULL,
  balance coins NOT NULL DEFAULT 0,
  entry_count bigint NOT NULL DEFAULT 0,
  asset asset NOT NULL DEFAULT 'coins'::text,
  id uuid NOT NULL DEFAULT uuidv7(),
  bought bigint NOT NULL DEFAULT 0,
  CONSTRAINT wallets_pkey PRIMARY KEY (user_id, asset),
  CONSTRAINT wallets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT wallets_balance_not_negative CHECK (((balance)::bigint >= 0)),
  CONSTRAINT wallets_bought CHECK (((bought >= 0) AND (bought <= (balance)::bigint))) NOT VALID
);

CREATE TABLE webhook_deliveries (
  id uuid NOT NULL,
  endpoint_id uuid,
  type text NOT NULL,
  body text NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamp with time zone,
  response_status integer,
  error text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  delivered_at timestamp with time zone,
  event_endpoint_id uuid,
  event_id uuid,
  event_key text,
  event_position bigint,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id) ON DELETE CASCADE,
  CONSTRAINT webhook_deliveries_event_endpoint_id_fkey FOREIGN KEY (event_endpoint_id) REFERENCES event_endpoints(id) ON DELETE CASCADE,
  CONSTRAINT webhook_deliveries_check CHECK (((status = 'pending'::text) = (next_try_at IS NOT NULL))),
  CONSTRAINT webhook_deliveries_check1 CHECK (((status <> 'delivered'::text) OR (delivered_at IS NOT NULL))),
  CONSTRAINT webhook_deliveries_event_check CHECK ((num_nonnulls(event_endpoint_id, event_id, event_key, event_position) = ANY (ARRAY[0, 4]))),
  CONSTRAINT webhook_deliveries_owner_check CHECK ((num_nonnulls(endpoint_id, event_endpoint_id) = 1)),
  CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))),
  CONSTRAINT webhook_deliveries_tries_check CHECK ((tries >= 0))
);

CREATE TABLE webhook_endpoints (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  url text NOT NULL,
  secret_sealed text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  failing_since timestamp with time zone,
  disabled_at timestamp with time zone,
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_endpoints_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

-- views

CREATE VIEW catalogue_balances AS
 SELECT id,
    user_id,
    asset AS currency,
    balance,
    entry_count,
    time_of_id(id) AS created_at
   FROM wallets
  WHERE (((asset)::text <> 'coins'::text) AND ((asset)::text <> 'earnings'::text));

CREATE VIEW catalogue_managed_reviews AS
 SELECT r.id,
    r.top_up_id,
    k.user_id,
    r.rating,
    r.comment,
    r.created_at,
    r.updated_at,
        CASE
            WHEN (r.removed_at IS NOT NULL) THEN 'removed'::text
            WHEN (r.status = 1) THEN 'published'::text
            ELSE 'held'::text
        END AS status
   FROM (catalogue_reviews r
     JOIN catalogue_customers k ON ((k.id = r.customer_id)));

CREATE VIEW coin_adjustments AS
 SELECT id,
    user_id,
    amount,
    reason,
    status,
    requested_by,
    decided_by,
    created_at,
    decided_at,
    expires_at
   FROM balance_adjustments
  WHERE ((asset)::text = 'coins'::text);

CREATE VIEW table_partitions AS
 SELECT (parent.relname)::text AS "table",
    (part.relname)::text AS name,
    (part.oid)::regclass AS id,
    time_of_id(("substring"(bounds.text, 'FROM \(''([^'']+)'::text))::uuid) AS "from",
    time_of_id(("substring"(bounds.text, 'TO \(''([^'']+)'::text))::uuid) AS until
   FROM (((pg_partitioned_table divided
     JOIN pg_class parent ON (((parent.oid = divided.partrelid) AND (parent.relnamespace = ('public'::regnamespace)::oid))))
     JOIN pg_inherits child ON ((child.inhparent = parent.oid)))
     JOIN pg_class part ON ((part.oid = child.inhrelid))),
    LATERAL ( SELECT pg_get_expr(part.relpartbound, part.oid) AS text) bounds;

CREATE VIEW undelivered_events AS
 SELECT outbox.topic,
    outbox.payload,
    NULL::text AS target
   FROM outbox
UNION ALL
 SELECT outbox_deliveries.topic,
    outbox_deliveries.payload,
    outbox_deliveries.target
   FROM outbox_deliveries
UNION ALL
 SELECT outbox_dead_letters.topic,
    outbox_dead_letters.payload,
    outbox_dead_letters.target
   FROM outbox_dead_letters;

-- indexes

CREATE INDEX admin_sessions_admin_idx ON public.admin_sessions USING btree (admin_id) WHERE (revoked_at IS NULL);
CREATE INDEX admin_sessions_expiry_idx ON public.admin_sessions USING btree (expires_at);
CREATE INDEX admins_role_idx ON public.admins USING btree (role_id);
CREATE INDEX agencies_owner_idx ON public.agencies USING btree (owner_id);
CREATE INDEX agency_invitations_agency_idx ON public.agency_invitations USING btree (agency_id, id);
CREATE INDEX agency_invitations_by_idx ON public.agency_invitations USING btree (invited_by);
CREATE INDEX agency_invitations_expiry_idx ON public.agency_invitations USING btree (expires_at);
CREATE INDEX agency_invitations_user_idx ON public.agency_invitations USING btree (user_id, id);
CREATE INDEX agency_staff_user_idx ON public.agency_staff USING btree (user_id);
CREATE INDEX api_keys_user_idx ON public.api_keys USING btree (user_id, id);
CREATE INDEX api_tokens_expiry_idx ON public.api_tokens USING btree (expires_at);
CREATE INDEX api_tokens_key_idx ON public.api_tokens USING btree (key_id, created_at);
CREATE INDEX appeals_decider_idx ON public.appeals USING btree (decided_by) WHERE (decided_by IS NOT NULL);
CREATE INDEX appeals_status_idx ON public.appeals USING btree (status, id DESC);
CREATE INDEX appeals_user_idx ON public.appeals USING btree (user_id);
CREATE INDEX audit_log_action_idx ON public.audit_log USING btree (action, at, seq);
CREATE INDEX audit_log_at_idx ON public.audit_log USING btree (at, seq);
CREATE INDEX audit_log_principal_idx ON public.audit_log USING btree (principal_id, at, seq);
CREATE INDEX audit_log_target_at_idx ON public.audit_log USING btree (target_id, at, seq);
CREATE INDEX audit_log_target_idx ON public.audit_log USING btree (target_type, target_id, id);
CREATE INDEX audit_log_target_type_idx ON public.audit_log USING btree (target_type, at, seq);
CREATE INDEX balance_adjustments_alone_idx ON public.balance_adjustments USING btree (requested_by, asset, created_at) WHERE ((status = 'approved'::text) AND (decided_by IS NULL));
CREATE INDEX balance_adjustments_amount_idx ON public.balance_adjustments USING btree (amount, id);
CREATE INDEX balance_adjustments_coins_idx ON public.balance_adjustments USING btree (created_at, id) WHERE ((asset)::text = 'coins'::text);
CREATE INDEX balance_adjustments_due_idx ON public.balance_adjustments USING btree (expires_at) WHERE (status = 'pending'::text);
CREATE INDEX balance_adjustments_money_idx ON public.balance_adjustments USING btree (id) WHERE ((asset)::text <> 'coins'::text);
CREATE INDEX balance_adjustments_requester_idx ON public.balance_adjustments USING btree (requested_by, created_at, id);
CREATE INDEX balance_adjustments_search_idx ON public.balance_adjustments USING gin (reason gin_trgm_ops);
CREATE INDEX balance_adjustments_status_idx ON public.balance_adjustments USING btree (status, created_at, id);
CREATE INDEX balance_adjustments_user_idx ON public.balance_adjustments USING btree (user_id, created_at);
CREATE INDEX broadcasts_audience_idx ON public.broadcasts USING btree (audience, created_at, id);
CREATE INDEX broadcasts_creator_idx ON public.broadcasts USING btree (created_by, created_at, id);
CREATE INDEX broadcasts_due_idx ON public.broadcasts USING btree (scheduled_at) WHERE (status = ANY (ARRAY['scheduled'::text, 'sending'::text]));
CREATE INDEX broadcasts_list_idx ON public.broadcasts USING btree (created_at, id);
CREATE INDEX broadcasts_scheduled_idx ON public.broadcasts USING btree (scheduled_at, id);
CREATE INDEX broadcasts_search_idx ON public.broadcasts USING gin (title gin_trgm_ops, body gin_trgm_ops);
CREATE INDEX broadcasts_status_idx ON public.broadcasts USING btree (status, created_at, id);
CREATE INDEX campaigns_end_idx ON public.campaigns USING btree (ends_at, id);
CREATE INDEX catalogue_campaigns_service_idx ON public.catalogue_campaigns USING btree (service_id, ends_at);
CREATE INDEX catalogue_card_services_card_idx ON public.catalogue_card_services USING btree (card_id, id) WHERE (status = 1);
CREATE INDEX catalogue_cards_category_idx ON public.catalogue_cards USING btree (category_id, id) WHERE ((status = 1) AND (retired_at IS NULL));
CREATE INDEX catalogue_codes_service_idx ON public.catalogue_codes USING btree (service_id, id);
CREATE INDEX catalogue_codes_shown_idx ON public.catalogue_codes USING btree (shown_at) WHERE ((code_sealed IS NOT NULL) AND (shown_at IS NOT NULL));
CREATE INDEX catalogue_codes_stock_idx ON public.catalogue_codes USING btree (service_id, id) WHERE (order_id IS NULL);
CREATE INDEX catalogue_customers_status_idx ON public.catalogue_customers USING btree (status, id);
CREATE INDEX catalogue_orders_card_idx ON public.catalogue_orders USING btree (card_id, id) WHERE (card_id IS NOT NULL);
CREATE INDEX catalogue_orders_created_idx ON public.catalogue_orders USING btree (created_at, id);
CREATE INDEX catalogue_orders_customer_idx ON public.catalogue_orders USING btree (customer_id, id DESC);
CREATE INDEX catalogue_orders_customer_open_idx ON public.catalogue_orders USING btree (customer_id) WHERE (status = ANY (ARRAY['placed'::text, 'processing'::text]));
CREATE INDEX catalogue_orders_due_idx ON public.catalogue_orders USING btree (next_try_at) WHERE (next_try_at IS NOT NULL);
CREATE INDEX catalogue_orders_open_idx ON public.catalogue_orders USING btree (card_service_id) WHERE ((card_service_id IS NOT NULL) AND (status = ANY (ARRAY['placed'::text, 'processing'::text])));
CREATE INDEX catalogue_orders_owed_idx ON public.catalogue_orders USING btree (customer_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX catalogue_orders_problem_idx ON public.catalogue_orders USING btree (id) WHERE (problem IS NOT NULL);
CREATE INDEX catalogue_orders_product_idx ON public.catalogue_orders USING btree (top_up_id, id) WHERE (top_up_id IS NOT NULL);
CREATE INDEX catalogue_orders_status_idx ON public.catalogue_orders USING btree (status, id);
CREATE INDEX catalogue_orders_top_up_idx ON public.catalogue_orders USING btree (customer_id, top_up_id);
CREATE INDEX catalogue_reviews_held_idx ON public.catalogue_reviews USING btree (id) WHERE ((status = 0) AND (removed_at IS NULL));
CREATE INDEX catalogue_reviews_published_idx ON public.catalogue_reviews USING btree (top_up_id, id DESC) WHERE (status = 1);
CREATE INDEX catalogue_services_top_up_idx ON public.catalogue_services USING btree (top_up_id, id) WHERE (status = 1);
CREATE INDEX catalogue_top_ups_category_idx ON public.catalogue_top_ups USING btree (category_id, id) WHERE ((status = 1) AND (retired_at IS NULL));
CREATE INDEX catalogue_top_ups_shown_idx ON public.catalogue_top_ups USING btree (id) WHERE ((status = 1) AND (retired_at IS NULL));
CREATE INDEX coin_grants_user_idx ON public.coin_grants USING btree (user_id);
CREATE INDEX contracts_agency_idx ON public.contracts USING btree (agency_id, id);
CREATE INDEX contracts_host_idx ON public.contracts USING btree (host_id, starts_at);
CREATE INDEX conversation_invites_conversation_idx ON public.conversation_invites USING btree (conversation_id, created_at DESC);
CREATE INDEX conversation_invites_creator_idx ON public.conversation_invites USING btree (created_by);
CREATE INDEX conversation_invites_expiry_idx ON public.conversation_invites USING btree (expires_at);
CREATE INDEX conversation_members_added_idx ON public.conversation_members USING btree (added_by, joined_at) WHERE (added_by IS NOT NULL);
CREATE INDEX conversation_members_groups_idx ON public.conversation_members USING btree (user_id) WHERE (peer_id IS NULL);
CREATE INDEX conversation_members_inbox_idx ON public.conversation_members USING btree (user_id, active_at DESC, conversation_id DESC) INCLUDE (peer_id) WHERE (active_at IS NOT NULL);
CREATE INDEX conversations_owner_idx ON public.conversations USING btree (owner_id) WHERE (owner_id IS NOT NULL);
CREATE INDEX conversations_started_idx ON public.conversations USING btree (started_by, created_at);
CREATE INDEX coupon_claims_coupon_idx ON public.coupon_claims USING btree (coupon_id);
CREATE INDEX coupon_claims_offer_idx ON public.coupon_claims USING btree (offer_id);
CREATE INDEX coupons_offer_idx ON public.coupons USING btree (offer_id);
CREATE INDEX direct_messages_history_idx ON public.direct_messages USING btree (conversation_id, id DESC);
CREATE INDEX direct_messages_media_idx ON public.direct_messages USING btree (sender_id) WHERE (media IS NOT NULL);
CREATE INDEX direct_messages_unread_idx ON public.direct_messages USING btree (conversation_id, sender_id, id DESC) WHERE (read_at IS NULL);
CREATE INDEX earnings_exchanges_user_idx ON public.earnings_exchanges USING btree (user_id, created_at);
CREATE INDEX event_log_created_idx ON public.event_log USING btree (created_at);
CREATE INDEX frame_ownerships_expiry_idx ON public.frame_ownerships USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX frame_purchases_user_idx ON public.frame_purchases USING btree (user_id, id DESC);
CREATE INDEX friend_requests_answered_idx ON public.friend_requests USING btree (answered_at) WHERE (status <> 'pending'::text);
CREATE INDEX friend_requests_incoming_idx ON public.friend_requests USING btree (recipient_id, id DESC) WHERE (status = 'pending'::text);
CREATE INDEX friend_requests_recipient_idx ON public.friend_requests USING btree (recipient_id);
CREATE INDEX friend_requests_sender_idx ON public.friend_requests USING btree (sender_id);
CREATE INDEX friend_requests_sent_idx ON public.friend_requests USING btree (sender_id, id DESC) WHERE (status = 'pending'::text);
CREATE INDEX friendships_list_idx ON public.friendships USING btree (user_id, created_at DESC, friend_id);
CREATE INDEX game_lobbies_cancelled_idx ON public.game_lobbies USING btree (updated_at) WHERE (status = 'cancelled'::text);
CREATE INDEX game_lobbies_host_idx ON public.game_lobbies USING btree (host_id) WHERE (status = ANY (ARRAY['open'::text, 'in_game'::text]));
CREATE INDEX game_lobbies_open_idx ON public.game_lobbies USING btree (updated_at) WHERE (status = 'open'::text);
CREATE INDEX game_lobbies_room_idx ON public.game_lobbies USING btree (room_id, id DESC) WHERE (status = ANY (ARRAY['open'::text, 'in_game'::text]));
CREATE INDEX game_players_history_idx ON public.game_players USING btree (user_id, session_id DESC);
CREATE INDEX game_sessions_active_idx ON public.game_sessions USING btree (id) WHERE (status = 'active'::text);
CREATE INDEX game_sessions_room_idx ON public.game_sessions USING btree (room_id) WHERE (status = 'active'::text);
CREATE INDEX gift_shares_user_idx ON public.gift_shares USING btree (user_id, gift_transaction_id);
CREATE INDEX gift_transactions_plan_idx ON public.gift_transactions USING btree (plan_id) WHERE (plan_id IS NOT NULL);
CREATE INDEX gift_transactions_recipient_idx ON public.gift_transactions USING btree (recipient_id, id DESC);
CREATE INDEX gift_transactions_sender_idx ON public.gift_transactions USING btree (sender_id, id DESC);
CREATE INDEX gift_transactions_sitting_idx ON public.gift_transactions USING btree (room_id, recipient_id, created_at);
CREATE INDEX held_content_decided_idx ON public.held_content USING btree (decided_at) WHERE (decided_at IS NOT NULL);
CREATE INDEX held_content_decider_idx ON public.held_content USING btree (decided_by) WHERE (decided_by IS NOT NULL);
CREATE INDEX held_content_judging_idx ON public.held_content USING btree (created_at) WHERE (status = 'judging'::text);
CREATE INDEX held_content_open_idx ON public.held_content USING btree (due_at) WHERE (status = ANY (ARRAY['held'::text, 'shown'::text]));
CREATE INDEX held_content_released_idx ON public.held_content USING btree (decided_at, id) WHERE ((status = 'released'::text) AND (delivered_at IS NULL));
CREATE INDEX held_content_user_idx ON public.held_content USING btree (user_id, id DESC);
CREATE INDEX idempotency_keys_age_idx ON public.idempotency_keys USING btree (created_at);
CREATE INDEX identities_subject_idx ON public.identities USING btree (subject);
CREATE INDEX kyc_cases_decided_by_idx ON public.kyc_cases USING btree (decided_by) WHERE (decided_by IS NOT NULL);
CREATE INDEX kyc_cases_user_idx ON public.kyc_cases USING btree (user_id, decided_at);
CREATE INDEX leaderboard_scores_rank_idx ON public.leaderboard_scores USING btree (scope, week, score DESC, reached_at, subject_id);
CREATE INDEX ledger_entries_earned_idx ON public.ledger_entries USING btree (id) INCLUDE (user_id, amount, created_at, type) WHERE ((asset)::text = 'earnings'::text);
CREATE INDEX ledger_entries_movement_idx ON public.ledger_entries USING btree (movement_id);
CREATE INDEX ledger_entries_rare_house_idx ON public.ledger_entries USING btree (house, id) WHERE (house <> ALL (ARRAY['issue'::text, 'gift_revenue'::text]));
CREATE INDEX ledger_entries_type_idx ON public.ledger_entries USING btree (type, id);
CREATE INDEX live_rooms_category_idx ON public.live_rooms USING btree (category, room_id DESC);
CREATE INDEX live_rooms_category_popular_idx ON public.live_rooms USING btree (category, member_count DESC, room_id DESC);
CREATE INDEX live_rooms_popular_idx ON public.live_rooms USING btree (member_count DESC, room_id DESC);
CREATE INDEX live_rooms_process_idx ON public.live_rooms USING btree (process_id);
CREATE INDEX login_codes_expiry_idx ON public.login_codes USING btree (expires_at);
CREATE INDEX mail_outbox_age_idx ON public.mail_outbox USING btree (created_at);
CREATE INDEX mail_outbox_user_idx ON public.mail_outbox USING btree (user_id);
CREATE INDEX media_processing_idx ON public.media USING btree (begun_at) WHERE (state = 'processing'::text);
CREATE INDEX media_unused_idx ON public.media USING btree (unused_since) WHERE (uses = 0);
CREATE INDEX media_user_idx ON public.media USING btree (user_id, created_at);
CREATE INDEX message_edits_user_idx ON public.message_edits USING btree (user_id);
CREATE INDEX message_pins_place_idx ON public.message_pins USING btree (place_id, pinned_at);
CREATE INDEX message_pins_user_idx ON public.message_pins USING btree (pinned_by);
CREATE INDEX message_reactions_user_idx ON public.message_reactions USING btree (user_id);
CREATE INDEX notification_events_age_idx ON public.notification_events USING btree (created_at);
CREATE INDEX notification_parts_actor_idx ON public.notification_parts USING btree (actor_id);
CREATE INDEX notification_parts_notification_idx ON public.notification_parts USING btree (notification_id, place DESC);
CREATE INDEX notifications_actor_idx ON public.notifications USING btree (actor_id);
CREATE INDEX notifications_age_idx ON public.notifications USING btree (created_at);
CREATE INDEX notifications_list_idx ON public.notifications USING btree (user_id, created_at DESC, id DESC) INCLUDE (actor_id);
CREATE INDEX notifications_unread_idx ON public.notifications USING btree (user_id, created_at DESC, id DESC) INCLUDE (actor_id) WHERE (read_at IS NULL);
CREATE INDEX online_users_process_idx ON public.online_users USING btree (process_id, user_id);
CREATE INDEX outbox_dead_letters_age_idx ON public.outbox_dead_letters USING btree (died_at);
CREATE INDEX outbox_deliveries_retry_idx ON public.outbox_deliveries USING btree (next_at) WHERE (attempts > 0);
CREATE INDEX outbox_deliveries_slot_idx ON public.outbox_deliveries USING btree (slot, id);
CREATE INDEX password_resets_expiry_idx ON public.password_resets USING btree (expires_at);
CREATE INDEX password_resets_user_idx ON public.password_resets USING btree (user_id);
CREATE INDEX payment_events_age_idx ON public.payment_events USING btree (created_at);
CREATE INDEX payment_events_id_idx ON public.payment_events USING btree (provider, event_id);
CREATE INDEX payment_events_order_idx ON public.payment_events USING btree (provider, ((summary #>> '{payment,order_id}'::text[])));
CREATE INDEX payment_findings_age_idx ON public.payment_findings USING btree (created_at, id);
CREATE INDEX payment_findings_open_idx ON public.payment_findings USING btree (id) WHERE (status = 'open'::text);
CREATE INDEX payment_findings_order_idx ON public.payment_findings USING btree (order_id) WHERE (order_id IS NOT NULL);
CREATE INDEX payment_orders_age_idx ON public.payment_orders USING btree (created_at, id);
CREATE INDEX payment_orders_amount_idx ON public.payment_orders USING btree (amount, id);
CREATE INDEX payment_orders_due_idx ON public.payment_orders USING btree (expires_at) WHERE (status = 'created'::text);
CREATE INDEX payment_orders_flag_idx ON public.payment_orders USING btree (flag, id) WHERE (flag IS NOT NULL);
CREATE INDEX payment_orders_kind_idx ON public.payment_orders USING btree (kind, created_at, id);
CREATE INDEX payment_orders_offer_idx ON public.payment_orders USING btree (offer_id) WHERE (offer_id IS NOT NULL);
CREATE INDEX payment_orders_open_idx ON public.payment_orders USING btree (user_id, expires_at) WHERE (status = 'created'::text);
CREATE INDEX payment_orders_provider_idx ON public.payment_orders USING btree (provider, created_at, id);
CREATE INDEX payment_orders_provider_order_idx ON public.payment_orders USING btree (provider_order_id);
CREATE INDEX payment_orders_status_idx ON public.payment_orders USING btree (status, created_at, id);
CREATE INDEX payment_orders_user_idx ON public.payment_orders USING btree (user_id, id DESC);
CREATE INDEX payment_refund_requests_due_idx ON public.payment_refund_requests USING btree (next_try_at) WHERE (status = 'pending'::text);
CREATE INDEX payment_refund_requests_payment_idx ON public.payment_refund_requests USING btree (payment_id);
CREATE INDEX payment_refunds_dispute_idx ON public.payment_refunds USING btree (dispute) WHERE (dispute IS NOT NULL);
CREATE INDEX payment_refunds_payment_idx ON public.payment_refunds USING btree (payment_id);
CREATE INDEX payments_order_idx ON public.payments USING btree (order_id);
CREATE INDEX payments_provider_payment_idx ON public.payments USING btree (provider_payment_id);
CREATE INDEX payouts_batch_idx ON public.payouts USING btree (batch_id) WHERE (batch_id IS NOT NULL);
CREATE INDEX payouts_due_idx ON public.payouts USING btree (next_try_at) WHERE (next_try_at IS NOT NULL);
CREATE INDEX payouts_flagged_idx ON public.payouts USING btree (id) WHERE (flag IS NOT NULL);
CREATE INDEX payouts_method_idx ON public.payouts USING btree (method_id);
CREATE INDEX payouts_open_idx ON public.payouts USING btree (created_at) WHERE (status = ANY (ARRAY['requested'::text, 'approved'::text, 'sent'::text]));
CREATE INDEX payouts_user_idx ON public.payouts USING btree (user_id, created_at);
CREATE INDEX post_comments_all_idx ON public.post_comments USING btree (post_id, id DESC);
CREATE INDEX post_comments_authored_idx ON public.post_comments USING btree (author_id, id DESC);
CREATE INDEX post_comments_post_idx ON public.post_comments USING btree (post_id, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX post_comments_shown_status_idx ON public.post_comments USING btree (COALESCE(moderation,
CASE
    WHEN (deleted_at IS NULL) THEN 'visible'::text
    ELSE 'deleted'::text
END), id DESC);
CREATE INDEX post_comments_words_idx ON public.post_comments USING gin (to_tsvector('simple'::regconfig, content));
CREATE INDEX post_likes_user_idx ON public.post_likes USING btree (user_id);
CREATE INDEX posts_author_idx ON public.posts USING btree (author_id, visibility, id DESC) WHERE (status = 'visible'::text);
CREATE INDEX posts_authored_idx ON public.posts USING btree (author_id, id DESC);
CREATE INDEX posts_public_idx ON public.posts USING btree (id DESC) INCLUDE (author_id) WHERE ((status = 'visible'::text) AND (visibility = 'public'::text));
CREATE INDEX posts_shown_status_idx ON public.posts USING btree ((
CASE
    WHEN (deleted_at IS NULL) THEN status
    ELSE 'deleted'::text
END), id DESC);
CREATE INDEX posts_words_idx ON public.posts USING gin (to_tsvector('simple'::regconfig, content));
CREATE INDEX posts_writer_idx ON public.posts USING btree (author_id) WHERE ((content <> ''::text) OR (media <> '[]'::jsonb));
CREATE INDEX receipts_order_idx ON public.receipts USING btree (order_id);
CREATE INDEX refresh_tokens_expiry_idx ON public.refresh_tokens USING btree (expires_at);
CREATE INDEX refresh_tokens_session_idx ON public.refresh_tokens USING btree (session_id);
CREATE INDEX refund_gifts_gift_idx ON public.refund_gifts USING btree (gift_transaction_id);
CREATE INDEX refund_shares_debt_idx ON public.refund_shares USING btree (user_id, asset) WHERE (debt > cancelled);
CREATE INDEX refund_shares_reversal_idx ON public.refund_shares USING btree (reversal_id) WHERE (reversal_id IS NOT NULL);
CREATE INDEX refund_shares_user_idx ON public.refund_shares USING btree (user_id);
CREATE INDEX refund_transfers_transfer_idx ON public.refund_transfers USING btree (transfer_id);
CREATE INDEX removals_content_idx ON public.removals USING btree (content_id);
CREATE INDEX removals_kept_idx ON public.removals USING btree (created_at) WHERE (kept IS NOT NULL);
CREATE INDEX removals_user_idx ON public.removals USING btree (user_id, id);
CREATE INDEX reports_against_idx ON public.reports USING btree (target_user_id, id DESC);
CREATE INDEX reports_by_idx ON public.reports USING btree (reporter_id, id DESC);
CREATE INDEX reports_claimed_idx ON public.reports USING btree (claimed_by, id DESC) WHERE (claimed_by IS NOT NULL);
CREATE INDEX reports_listed_idx ON public.reports USING btree (status, id DESC);
CREATE INDEX reports_status_idx ON public.reports USING btree (status, target_type, id DESC);
CREATE INDEX reports_target_idx ON public.reports USING btree (target_type, target_id, id DESC);
CREATE INDEX reports_type_idx ON public.reports USING btree (target_type, id DESC);
CREATE INDEX room_bans_by_idx ON public.room_bans USING btree (banned_by);
CREATE INDEX room_bans_user_idx ON public.room_bans USING btree (user_id);
CREATE INDEX room_messages_history_idx ON ONLY public.room_messages USING btree (room_id, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX room_messages_media_idx ON ONLY public.room_messages USING btree (user_id) WHERE (media IS NOT NULL);
CREATE INDEX room_messages_writer_idx ON ONLY public.room_messages USING btree (user_id) WHERE (body <> ''::text);
CREATE INDEX room_moderators_user_idx ON public.room_moderators USING btree (user_id);
CREATE INDEX room_presence_room_idx ON public.room_presence USING btree (room_id);
CREATE INDEX room_rules_changer_idx ON public.room_rules USING btree (changed_by);
CREATE INDEX room_states_seated_idx ON public.room_states USING btree (room_id) WHERE jsonb_path_exists(live, '$."seats"[*]."userId"?(@ != null)'::jsonpath);
CREATE INDEX rooms_any_category_idx ON public.rooms USING btree (category, id DESC);
CREATE INDEX rooms_hosted_idx ON public.rooms USING btree (host_id, id DESC);
CREATE INDEX rooms_listed_category_idx ON public.rooms USING btree (category, id DESC) WHERE ((status = 'open'::text) AND (NOT is_private));
CREATE INDEX rooms_listed_idx ON public.rooms USING btree (id DESC) WHERE ((status = 'open'::text) AND (NOT is_private));
CREATE INDEX rooms_name_idx ON public.rooms USING btree (name, id);
CREATE INDEX rooms_part_of_name_idx ON public.rooms USING gin (lower(name) gin_trgm_ops);
CREATE INDEX rooms_private_idx ON public.rooms USING btree (host_id) WHERE ((status = 'open'::text) AND is_private);
CREATE INDEX rooms_status_idx ON public.rooms USING btree (status, id DESC);
CREATE INDEX rooms_status_name_idx ON public.rooms USING btree (status, name, id);
CREATE INDEX rooms_trigrams_idx ON public.rooms USING gin (room_trigrams(name, description)) WHERE ((status = 'open'::text) AND (NOT is_private));
CREATE INDEX run_corrections_contract_idx ON public.run_corrections USING btree (contract_id) WHERE (run_id IS NULL);
CREATE INDEX run_corrections_run_idx ON public.run_corrections USING btree (run_id);
CREATE INDEX run_lines_agency_idx ON public.run_lines USING btree (agency_id, id);
CREATE INDEX run_lines_contract_idx ON public.run_lines USING btree (contract_id);
CREATE INDEX run_lines_host_idx ON public.run_lines USING btree (host_id, id);
CREATE INDEX run_lines_salary_idx ON public.run_lines USING btree (run_id, salary, id);
CREATE INDEX sanction_targets_hash_idx ON public.sanction_targets USING btree (hash);
CREATE INDEX sanctions_active_idx ON public.sanctions USING btree (user_id) WHERE (lifted_at IS NULL);
CREATE INDEX sanctions_creator_idx ON public.sanctions USING btree (created_by);
CREATE INDEX sanctions_user_idx ON public.sanctions USING btree (user_id, id DESC);
CREATE INDEX sandbox_payments_order_idx ON public.sandbox_payments USING btree (order_id);
CREATE INDEX seat_sessions_host_idx ON public.seat_sessions USING btree (user_id, ended_at) INCLUDE (started_at);
CREATE INDEX seller_reversals_debt_idx ON public.seller_reversals USING btree (recipient_id) WHERE (debt > 0);
CREATE INDEX seller_reversals_paid_idx ON public.seller_reversals USING btree (transfer_id) WHERE (paid > 0);
CREATE INDEX seller_transfers_recipient_idx ON public.seller_transfers USING btree (recipient_id, created_at);
CREATE INDEX seller_transfers_seller_idx ON public.seller_transfers USING btree (seller_id, created_at);
CREATE INDEX server_keys_created_by_idx ON public.server_keys USING btree (created_by);
CREATE INDEX sessions_device_idx ON public.sessions USING btree (device_hash) WHERE (device_hash IS NOT NULL);
CREATE INDEX sessions_owner_idx ON public.sessions USING btree (user_id);
CREATE INDEX sessions_revoked_idx ON public.sessions USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);
CREATE INDEX sessions_user_idx ON public.sessions USING btree (user_id) WHERE (revoked_at IS NULL);
CREATE INDEX share_debt_payments_user_idx ON public.share_debt_payments USING btree (user_id, asset);
CREATE INDEX store_products_package_idx ON public.store_products USING btree (coin_package_id, store);
CREATE INDEX store_products_plan_idx ON public.store_products USING btree (vip_plan_id, store);
CREATE INDEX store_purchases_acknowledge_idx ON public.store_purchases USING btree (acknowledge_due_at) WHERE ((acknowledged_at IS NULL) AND (acknowledge_due_at IS NOT NULL));
CREATE INDEX store_purchases_original_idx ON public.store_purchases USING btree (provider, original_transaction_id);
CREATE INDEX store_purchases_product_idx ON public.store_purchases USING btree (product_id);
CREATE INDEX store_purchases_subscription_idx ON public.store_purchases USING btree (subscription_id) WHERE (subscription_id IS NOT NULL);
CREATE INDEX store_purchases_user_idx ON public.store_purchases USING btree (user_id, id);
CREATE INDEX subscriptions_pending_plan_idx ON public.subscriptions USING btree (pending_plan_id) WHERE (pending_plan_id IS NOT NULL);
CREATE INDEX subscriptions_plan_idx ON public.subscriptions USING btree (plan_id);
CREATE INDEX subscriptions_user_idx ON public.subscriptions USING btree (user_id, id DESC);
CREATE INDEX support_tickets_age_idx ON public.support_tickets USING btree (created_at, id);
CREATE INDEX support_tickets_search_idx ON public.support_tickets USING gin (subject gin_trgm_ops, email gin_trgm_ops);
CREATE INDEX support_tickets_state_idx ON public.support_tickets USING btree (status, created_at, id);
CREATE INDEX support_tickets_status_idx ON public.support_tickets USING btree (status, id DESC);
CREATE INDEX support_tickets_stranger_idx ON public.support_tickets USING btree (lower(email)) WHERE (user_id IS NULL);
CREATE INDEX support_tickets_updated_idx ON public.support_tickets USING btree (updated_at, id);
CREATE INDEX support_tickets_user_idx ON public.support_tickets USING btree (user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX terms_acceptances_time_idx ON public.terms_acceptances USING btree (accepted_at);
CREATE INDEX ticket_answers_ticket_idx ON public.ticket_answers USING btree (ticket_id, id);
CREATE INDEX used_nonces_expiry_idx ON public.used_nonces USING btree (expires_at);
CREATE INDEX user_blocks_blocked_idx ON public.user_blocks USING btree (blocked_id);
CREATE INDEX user_blocks_list_idx ON public.user_blocks USING btree (blocker_id, created_at DESC, blocked_id);
CREATE INDEX user_devices_session_idx ON public.user_devices USING btree (session_id);
CREATE INDEX user_devices_user_idx ON public.user_devices USING btree (user_id, id DESC);
CREATE INDEX user_exports_expiry_idx ON public.user_exports USING btree (expires_at);
CREATE INDEX user_follows_followers_idx ON public.user_follows USING btree (followed_id, created_at DESC, follower_id);
CREATE INDEX user_follows_following_idx ON public.user_follows USING btree (follower_id, created_at DESC, followed_id);
CREATE INDEX users_country_idx ON public.users USING btree (country, id) WHERE (country IS NOT NULL);
CREATE INDEX users_deletion_due_idx ON public.users USING btree (deletion_due_at) WHERE (status = 'deletion_pending'::text);
CREATE INDEX users_email_idx ON public.users USING btree (email);
CREATE INDEX users_erasing_idx ON public.users USING btree (id) WHERE ((status = 'deleted'::text) AND (erased_at IS NULL));
CREATE INDEX users_guests_idx ON public.users USING btree (created_at) WHERE is_guest;
CREATE INDEX users_inactive_idx ON public.users USING btree (id) WHERE (status <> 'active'::text);
CREATE INDEX users_mobile_idx ON public.users USING btree (mobile) WHERE (mobile IS NOT NULL);
CREATE INDEX users_name_prefix_idx ON public.users USING btree (search_form(full_name) text_pattern_ops);
CREATE INDEX users_name_similar_idx ON public.users USING gin (search_form(full_name) gin_trgm_ops);
CREATE INDEX users_status_idx ON public.users USING btree (status, id DESC);
CREATE INDEX users_status_name_idx ON public.users USING btree (status, username);
CREATE INDEX users_suspended_idx ON public.users USING btree (suspended_at) WHERE (status = 'suspended'::text);
CREATE INDEX users_suspended_until_idx ON public.users USING btree (suspended_until) WHERE (suspended_until IS NOT NULL);
CREATE INDEX users_username_prefix_idx ON public.users USING btree (username text_pattern_ops);
CREATE INDEX users_username_similar_idx ON public.users USING gin (username gin_trgm_ops);
CREATE INDEX verification_codes_expiry_idx ON public.verification_codes USING btree (expires_at);
CREATE INDEX verification_codes_user_idx ON public.verification_codes USING btree (user_id);
CREATE INDEX verification_tries_expiry_idx ON public.verification_tries USING btree (expires_at);
CREATE INDEX vip_periods_expiry_idx ON public.vip_periods USING btree (ends_at) WHERE (ended_at IS NULL);
CREATE INDEX vip_periods_running_idx ON public.vip_periods USING btree (user_id, plan_id, ends_at) WHERE (ended_at IS NULL);
CREATE INDEX voice_evidence_approver_idx ON public.voice_evidence USING btree (approved_by) WHERE (approved_by IS NOT NULL);
CREATE INDEX voice_evidence_expiry_idx ON public.voice_evidence USING btree (expires_at);
CREATE INDEX voice_evidence_pieces_user_idx ON public.voice_evidence_pieces USING btree (user_id);
CREATE INDEX voice_evidence_reports_evidence_idx ON public.voice_evidence_reports USING btree (evidence_id);
CREATE INDEX voice_evidence_requester_idx ON public.voice_evidence USING btree (requested_by) WHERE (requested_by IS NOT NULL);
CREATE INDEX voice_evidence_room_idx ON public.voice_evidence USING btree (room_id);
CREATE INDEX voice_grants_due_idx ON public.voice_grants USING btree (due_at) WHERE (media_right IS NULL);
CREATE INDEX voice_grants_user_idx ON public.voice_grants USING btree (user_id);
CREATE INDEX voice_watches_look_idx ON public.voice_watches USING btree (look_at);
CREATE INDEX wallets_currency_idx ON public.wallets USING btree (asset, id) WHERE ((asset)::text <> 'coins'::text);
CREATE INDEX webhook_deliveries_created_idx ON public.webhook_deliveries USING btree (created_at);
CREATE INDEX webhook_deliveries_due_idx ON public.webhook_deliveries USING btree (next_try_at) WHERE (status = 'pending'::text);
CREATE INDEX webhook_deliveries_endpoint_idx ON public.webhook_deliveries USING btree (endpoint_id, id);
CREATE INDEX webhook_deliveries_order_idx ON public.webhook_deliveries USING btree (event_endpoint_id, event_key, event_position) WHERE ((event_endpoint_id IS NOT NULL) AND (status = 'pending'::text));
CREATE INDEX webhook_endpoints_user_idx ON public.webhook_endpoints USING btree (user_id);
CREATE UNIQUE INDEX agency_invitations_pending_key ON public.agency_invitations USING btree (agency_id, user_id) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX audit_log_seq_key ON public.audit_log USING btree (seq);
CREATE UNIQUE INDEX direct_messages_client_id_key ON public.direct_messages USING btree (conversation_id, sender_id, client_id) WHERE (client_id IS NOT NULL);
CREATE UNIQUE INDEX frame_ownerships_equipped_key ON public.frame_ownerships USING btree (user_id) WHERE equipped;
CREATE UNIQUE INDEX friend_requests_pending_key ON public.friend_requests USING btree (LEAST(sender_id, recipient_id), GREATEST(sender_id, recipient_id)) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX identities_user_key ON public.identities USING btree (user_id, provider);
CREATE UNIQUE INDEX kyc_cases_one_pending ON public.kyc_cases USING btree (user_id) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX ledger_entries_wallet_key ON public.ledger_entries USING btree (user_id, asset, entry_no) WHERE (user_id IS NOT NULL);
CREATE UNIQUE INDEX notifications_group_key ON public.notifications USING btree (user_id, group_key) WHERE (read_at IS NULL);
CREATE UNIQUE INDEX payment_refund_requests_open_key ON public.payment_refund_requests USING btree (payment_id) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX payments_settled_key ON public.payments USING btree (order_id) WHERE settles;
CREATE UNIQUE INDEX receipts_first_idx ON public.receipts USING btree (order_id) WHERE (kind = 'receipt'::text);
CREATE UNIQUE INDEX refresh_tokens_one_living ON public.refresh_tokens USING btree (session_id) WHERE (used_at IS NULL);
CREATE UNIQUE INDEX reports_open_key ON public.reports USING btree (reporter_id, target_type, target_id) WHERE (status = 'open'::text);
CREATE UNIQUE INDEX room_messages_past_client_id_key ON public.room_messages_past USING btree (room_id, user_id, client_id) WHERE (client_id IS NOT NULL);
CREATE UNIQUE INDEX room_states_epoch_key ON public.room_states USING btree (room_id, epoch);
CREATE UNIQUE INDEX runs_period_key ON public.runs USING btree (time_zone, period, starts_on) WHERE (status <> 'cancelled'::text);
CREATE UNIQUE INDEX sandbox_payments_paid_key ON public.sandbox_payments USING btree (order_id) WHERE (status <> 'failed'::text);
CREATE UNIQUE INDEX user_exports_user_key ON public.user_exports USING btree (user_id);
CREATE UNIQUE INDEX users_email_verified_key ON public.users USING btree (email) WHERE (email_verified_at IS NOT NULL);
CREATE UNIQUE INDEX users_mobile_verified_key ON public.users USING btree (mobile) WHERE (mobile_verified_at IS NOT NULL);
CREATE UNIQUE INDEX wallets_money_key ON public.wallets USING btree (id) WHERE ((asset)::text <> 'coins'::text);
CREATE UNIQUE INDEX webhook_deliveries_event_key ON public.webhook_deliveries USING btree (event_endpoint_id, event_position) WHERE (event_endpoint_id IS NOT NULL);

-- functions

CREATE OR REPLACE FUNCTION public.add_to_stat_total()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      INSERT INTO stat_totals (metric, value) VALUES (NEW.metric, NEW.value)
      ON CONFLICT (metric) DO UPDATE
      SET value = stat_totals.value + NEW.value - CASE TG_OP WHEN 'UPDATE' THEN OLD.value ELSE 0 END;
      RETURN NULL;
    END $function$
;

CREATE OR REPLACE FUNCTION public.analyze_divided(of text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    BEGIN
      IF EXISTS (SELECT FROM table_partitions WHERE "table" = of) THEN EXECUTE format('ANALYZE %I', of); END IF;
    END $function$
;

CREATE OR REPLACE FUNCTION public.audit_entry_text(entry audit_log)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
      SELECT jsonb_build_object(
        'seq', entry.seq, 'id', entry.id, 'at', to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'principal_kind', entry.principal_kind, 'principal_id', entry.principal_id, 'role', entry.role,
        'session_id', entry.session_id, 'action', entry.action, 'target_type', entry.target_type,
        'target_id', entry.target_id, 'before', entry.before, 'after', entry.after, 'reason', entry.reason,
        'ip', entry.ip, 'user_agent', entry.user_agent, 'request_id', entry.request_id)::text
    $function$
;

CREATE OR REPLACE FUNCTION public.blocked_people(a uuid)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE ROWS 20
AS $function$
      SELECT blocked_id FROM user_blocks WHERE blocker_id = a
      UNION ALL SELECT blocker_id FROM user_blocks WHERE blocked_id = a
    $function$
;

CREATE OR REPLACE FUNCTION public.chain_audit_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    DECLARE head audit_head;
    BEGIN
      SELECT * INTO head FROM audit_head FOR UPDATE;
      NEW.seq := head.seq + 1;
      NEW.hash := encode(sha256(convert_to(head.hash || audit_entry_text(NEW), 'UTF8')), 'hex');
      UPDATE audit_head SET seq = NEW.seq, hash = NEW.hash;
      RETURN NEW;
    END $function$
;

CREATE OR REPLACE FUNCTION public.count_media_uses()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    DECLARE
      shown text := '';
      hidden text := '';
      name text;
    BEGIN
      FOREACH name IN ARRAY TG_ARGV LOOP
        IF TG_OP <> 'INSERT' THEN hidden := concat(hidden, ' ', to_jsonb(OLD) ->> name); END IF;
        IF TG_OP <> 'DELETE' THEN shown := concat(shown, ' ', to_jsonb(NEW) ->> name); END IF;
      END LOOP;
      IF shown = hidden THEN RETURN NULL; END IF;
      UPDATE media SET uses = uses + changed.by,
        unused_since = CASE WHEN uses + changed.by > 0 THEN NULL ELSE now() END
      FROM (
        SELECT id, sum(by)::integer AS by FROM (
          SELECT DISTINCT address[1]::uuid AS id, 1 AS by
          FROM regexp_matches(shown, 'media/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/', 'g') AS address
          UNION ALL
          SELECT DISTINCT address[1]::uuid, -1
          FROM regexp_matches(hidden, 'media/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/', 'g') AS address
        ) AS each GROUP BY id HAVING sum(by) <> 0
      ) AS changed
      WHERE media.id = changed.id;
      RETURN NULL;
    END $function$
;

CREATE OR REPLACE FUNCTION public.dress_partition(part regclass, model regclass, parent regclass)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE
      statement text;
    BEGIN
      FOR statement IN
        SELECT regexp_replace(pg_get_indexdef(indexrelid), '^.*? USING', format('CREATE UNIQUE INDEX ON %s USING', part))
        FROM pg_index WHERE indrelid = model AND indisunique AND NOT indisprimary
          AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = indexrelid)
        UNION ALL
        SELECT replace(pg_get_triggerdef(oid), format(' ON public.%s ', parent), format(' ON %s ', part))
        FROM pg_trigger WHERE tgrelid = parent AND NOT tgisinternal AND tgtype & 1 = 0
      LOOP
        EXECUTE statement;
      END LOOP;
    END $function$
;

CREATE OR REPLACE FUNCTION public.drop_partition(part text, months integer, lock bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '500ms'
 SET "TimeZone" TO 'UTC'
AS $function$
    BEGIN
      PERFORM FROM table_partitions WHERE name = part AND "table" IN ('room_messages', 'direct_messages')
        AND "until" <= date_trunc('month', now()) - make_interval(months => greatest(months, 1));
      IF NOT FOUND OR NOT pg_try_advisory_xact_lock(lock) THEN RETURN false; END IF;
      EXECUTE format('DROP TABLE %I', part);
      RETURN true;
    END $function$
;

CREATE OR REPLACE FUNCTION public.first_id_at(at timestamp with time zone)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
      SELECT (lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008000' || repeat('0', 12))::uuid
    $function$
;

CREATE OR REPLACE FUNCTION public.ids_are_near(entry uuid, movement uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
      SELECT entry >= first_id_at(time_of_id(movement) - interval '1 day')
        AND entry < first_id_at(time_of_id(movement) + interval '1 day')
    $function$
;

CREATE OR REPLACE FUNCTION public.is_blocked_between(a uuid, b uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
      SELECT EXISTS (SELECT 1 FROM user_blocks WHERE blocker_id = a AND blocked_id = b)
          OR EXISTS (SELECT 1 FROM user_blocks WHERE blocker_id = b AND blocked_id = a)
    $function$
;

CREATE OR REPLACE FUNCTION public.keep_identities()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      IF NEW.status <> 'deleted' AND coalesce(NEW.password_hash, '') <> '' THEN
        INSERT INTO identities (provider, subject, user_id) VALUES ('password', NEW.id::text, NEW.id) ON CONFLICT DO NOTHING;
      ELSE
        DELETE FROM identities WHERE provider = 'password' AND user_id = NEW.id;
      END IF;
      DELETE FROM identities
        WHERE provider = 'phone' AND user_id = NEW.id
          AND (NEW.mobile_verified_at IS NULL OR NEW.mobile IS NULL OR subject <> NEW.mobile);
      IF NEW.mobile_verified_at IS NOT NULL AND NEW.mobile IS NOT NULL THEN
        INSERT INTO identities (provider, subject, user_id) VALUES ('phone', NEW.mobile, NEW.id)
          ON CONFLICT (provider, subject) DO NOTHING;
      END IF;
      RETURN NULL;
    END $function$
;

CREATE OR REPLACE FUNCTION public.ledger_entries_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    DECLARE unbalanced uuid;
    BEGIN
      SELECT movement_id INTO unbalanced FROM added GROUP BY movement_id, asset
      HAVING sum(amount) <> 0 OR sum(bought) <> 0 LIMIT 1;
      IF unbalanced IS NOT NULL THEN
        RAISE EXCEPTION 'entries of movement % do not add up to zero', unbalanced USING ERRCODE = 'check_violation';
      END IF;
      RETURN NULL;
    END $function$
;

CREATE OR REPLACE FUNCTION public.ledger_entry_text(movement ledger_movements, entry ledger_entries)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
      SELECT jsonb_build_object('id', entry.id, 'transaction_id', movement.id, 'reference_type', movement.reference_type,
        'reference_id', movement.reference_id, 'type', entry.type, 'user_id', entry.user_id, 'house', entry.house,
        'asset', entry.asset, 'amount', entry.amount, 'bought', entry.bought, 'balance_after', entry.balance_after,
        'entry_no', entry.entry_no,
        'created_at', to_char(entry.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text
    $function$
;

CREATE OR REPLACE FUNCTION public.ledger_movement_text(movement ledger_movements)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
      SELECT jsonb_build_object(
        'id', movement.id, 'reference_type', movement.reference_type, 'reference_id', movement.reference_id,
        'description', movement.description, 'principal_kind', movement.principal_kind,
        'principal_id', movement.principal_id,
        'created_at', to_char(movement.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'entries', (
          SELECT coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'type', e.type, 'user_id', e.user_id, 'house', e.house,
            'amount', e.amount, 'balance_after', e.balance_after, 'entry_no', e.entry_no)
            || CASE e.asset WHEN 'coins' THEN '{}' WHEN 'earnings' THEN jsonb_build_object('asset', e.asset)
                 ELSE jsonb_build_object('currency', e.asset) END
            || CASE e.bought WHEN 0 THEN '{}' ELSE jsonb_build_object('bought', e.bought) END ORDER BY e.id), '[]')
          FROM ledger_entries e WHERE e.movement_id = movement.id AND ids_are_near(e.id, movement.id)))::text
    $function$
;

CREATE OR REPLACE FUNCTION public.make_partitions(of text, ahead integer, lock bigint)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '500ms'
 SET "TimeZone" TO 'UTC'
AS $function$
    DECLARE
      rest record;
      month text;
      beginning timestamptz;
      ending timestamptz;
      made integer := 0;
      goal timestamptz := date_trunc('month', now()) + make_interval(months => least(ahead, 24) + 1);
      is_used boolean;
    BEGIN
      SELECT * INTO rest FROM table_partitions WHERE "table" = of AND "until" IS NULL AND "from" < goal;
      IF NOT FOUND OR NOT pg_try_advisory_xact_lock(lock) THEN RETURN 0; END IF;
      EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', of, rest.name);
      EXECUTE format('SELECT EXISTS (SELECT FROM %I)', rest.name) INTO is_used;
      beginning := rest."from";
      WHILE beginning < goal LOOP
        ending := beginning + interval '1 month';
        month := of || to_char(beginning, '_YYYY_MM');
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', month, of);
        -- What came before its partition was made.
        IF is_used THEN
          EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', rest.name);
          EXECUTE format('WITH moved AS (DELETE FROM %I WHERE id < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
            rest.name, first_id_at(ending), month);
          EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', rest.name);
        END IF;
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
          of, month, first_id_at(beginning), first_id_at(ending));
        PERFORM dress_partition(month::regclass, rest.id, of::regclass);
        beginning := ending;
        made := made + 1;
      END LOOP;
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (MAXVALUE)',
        of, rest.name, first_id_at(beginning));
      RETURN made;
    END $function$
;

CREATE OR REPLACE FUNCTION public.refuse_changes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END $function$
;

CREATE OR REPLACE FUNCTION public.room_trigrams(name text, description text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE COST 1000
 SET search_path TO '$user', 'public'
AS $function$BEGIN RETURN show_trgm(name || E'\n' || description); END$function$
;

CREATE OR REPLACE FUNCTION public.search_form(typed text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
      SELECT btrim(regexp_replace(
        casefold(
          regexp_replace(normalize(typed, NFKD), '[\u0300-\u036f\u00ad\u200b-\u200f\u2060\ufe0f\ufeff]', '', 'g')
            COLLATE pg_unicode_fast
        ), '\s+', ' ', 'g'))
    $function$
;

CREATE OR REPLACE FUNCTION public.search_rooms(pattern text)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE ROWS 500
AS $function$
      DECLARE
        most CONSTANT integer := 500;
        listed CONSTANT text := 'status = ''open'' AND NOT is_private ORDER BY id DESC ';
        sought text := regexp_replace(substr(pattern, 2, length(pattern) - 2), '\\(.)', '\1', 'g');
        trigrams text[] := '{}';
        searched text[];
        found uuid[];
      BEGIN
        IF to_regclass('rooms_trigrams_idx') IS NOT NULL THEN
          trigrams := ARRAY(SELECT unnest(show_trgm(sought)) INTERSECT SELECT unnest(show_trgm('y' || sought || 'y'))
            INTERSECT SELECT unnest(show_trgm('z' || sought || 'z')));
          trigrams := ARRAY(SELECT sorted.trigram FROM (
              SELECT t AS trigram, row_number() OVER (ORDER BY strpos(lower(sought), btrim(t)) DESC, t DESC) AS place FROM unnest(trigrams) AS t
            ) AS sorted WHERE sorted.place % 3 = 1 OR cardinality(trigrams) <= 5);
        END IF;
        searched := CASE trigrams WHEN '{}' THEN ARRAY[listed || 'LIMIT 10000']
          ELSE ARRAY[listed || 'LIMIT 1000', listed || 'LIMIT 25000', 'room_trigrams(name, description) @> $2 AND ' || listed || 'OFFSET 0'] END;
        FOR step IN 1 .. cardinality(searched) LOOP
          -- The newest 25,000 don't have enough if the newest 1,000 have fewer than one in 50.
          CONTINUE WHEN step = 2 AND cardinality(found) < most / 25;
          EXECUTE 'SELECT ARRAY(SELECT id FROM (SELECT id, name, description FROM rooms WHERE ' || searched[step] || ') AS r
            WHERE name || E''\n'' || description ILIKE $1 LIMIT $3)' INTO found USING pattern, trigrams, most;
          EXIT WHEN cardinality(found) = most;
        END LOOP;
        RETURN QUERY SELECT unnest(found);
      END $function$
;

CREATE OR REPLACE FUNCTION public.time_of_id(id uuid)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
      SELECT to_timestamp(('x0000' || translate(left(id::text, 13), '-', ''))::bit(64)::bigint / 1000.0)
    $function$
;

CREATE OR REPLACE FUNCTION public.users_with_similar_names(text_form text, most integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE ROWS 200
 SET enable_seqscan TO 'off'
AS $function$
      BEGIN
        IF show_trgm(text_form) = '{}' THEN RETURN; END IF;
        RETURN QUERY SELECT u.id FROM users u WHERE u.username % text_form LIMIT most;
        RETURN QUERY SELECT u.id FROM users u WHERE text_form <% search_form(u.full_name) LIMIT most;
      END $function$
;

CREATE OR REPLACE FUNCTION public.wallets_keep_bought()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      NEW.bought := NEW.balance;
      RETURN NEW;
    END $function$
;

-- triggers

CREATE TRIGGER audit_archives_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_archives FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER audit_log_chain BEFORE INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();
CREATE TRIGGER campaigns_show_media AFTER INSERT OR DELETE OR UPDATE OF image_url ON public.campaigns FOR EACH ROW EXECUTE FUNCTION count_media_uses('image_url');
CREATE TRIGGER catalogue_card_services_show_media AFTER INSERT OR DELETE OR UPDATE OF image_url ON public.catalogue_card_services FOR EACH ROW EXECUTE FUNCTION count_media_uses('image_url');
CREATE TRIGGER catalogue_cards_show_media AFTER INSERT OR DELETE OR UPDATE OF image_url, preview_url ON public.catalogue_cards FOR EACH ROW EXECUTE FUNCTION count_media_uses('image_url', 'preview_url');
CREATE TRIGGER catalogue_gateways_show_media AFTER INSERT OR DELETE OR UPDATE OF image_url ON public.catalogue_gateways FOR EACH ROW EXECUTE FUNCTION count_media_uses('image_url');
CREATE TRIGGER catalogue_payments_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.catalogue_payments FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER catalogue_services_show_media AFTER INSERT OR DELETE OR UPDATE OF image_url ON public.catalogue_services FOR EACH ROW EXECUTE FUNCTION count_media_uses('image_url');
CREATE TRIGGER catalogue_top_ups_show_media AFTER INSERT OR DELETE OR UPDATE OF image_url, preview_url ON public.catalogue_top_ups FOR EACH ROW EXECUTE FUNCTION count_media_uses('image_url', 'preview_url');
CREATE TRIGGER coin_grants_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.coin_grants FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER conversations_show_media AFTER INSERT OR DELETE OR UPDATE OF picture_url ON public.conversations FOR EACH ROW EXECUTE FUNCTION count_media_uses('picture_url');
CREATE TRIGGER direct_messages_hide_media AFTER DELETE OR UPDATE OF media ON public.direct_messages FOR EACH ROW WHEN ((old.media IS NOT NULL)) EXECUTE FUNCTION count_media_uses('media');
CREATE TRIGGER direct_messages_show_media AFTER INSERT ON public.direct_messages FOR EACH ROW WHEN ((new.media IS NOT NULL)) EXECUTE FUNCTION count_media_uses('media');
CREATE TRIGGER earnings_exchanges_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.earnings_exchanges FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER frames_show_media AFTER INSERT OR DELETE OR UPDATE OF image_url ON public.frames FOR EACH ROW EXECUTE FUNCTION count_media_uses('image_url');
CREATE TRIGGER gift_shares_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.gift_shares FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER gifts_show_media AFTER INSERT OR DELETE OR UPDATE OF image_url, animation_url ON public.gifts FOR EACH ROW EXECUTE FUNCTION count_media_uses('image_url', 'animation_url');
CREATE TRIGGER ledger_blocks_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_blocks FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER ledger_chain_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_chain FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER ledger_entries_balance AFTER INSERT ON public.ledger_entries REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_entries_balance();
CREATE TRIGGER ledger_leaves_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_leaves FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER ledger_movements_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_movements FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER payout_steps_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.payout_steps FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER posts_show_media AFTER INSERT OR DELETE OR UPDATE OF media ON public.posts FOR EACH ROW EXECUTE FUNCTION count_media_uses('media');
CREATE TRIGGER removals_show_media AFTER INSERT OR DELETE OR UPDATE OF kept ON public.removals FOR EACH ROW EXECUTE FUNCTION count_media_uses('kept');
CREATE TRIGGER room_messages_hide_media AFTER DELETE OR UPDATE OF media ON public.room_messages FOR EACH ROW WHEN ((old.media IS NOT NULL)) EXECUTE FUNCTION count_media_uses('media');
CREATE TRIGGER room_messages_show_media AFTER INSERT ON public.room_messages FOR EACH ROW WHEN ((new.media IS NOT NULL)) EXECUTE FUNCTION count_media_uses('media');
CREATE TRIGGER rooms_show_media AFTER INSERT OR DELETE OR UPDATE OF cover_url ON public.rooms FOR EACH ROW EXECUTE FUNCTION count_media_uses('cover_url');
CREATE TRIGGER seller_reversals_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.seller_reversals FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER seller_transfers_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.seller_transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER share_debt_payments_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.share_debt_payments FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
CREATE TRIGGER stat_quarters_total AFTER INSERT OR UPDATE ON public.stat_quarters FOR EACH ROW EXECUTE FUNCTION add_to_stat_total();
CREATE TRIGGER sticker_packs_show_media AFTER INSERT OR DELETE OR UPDATE OF image_url ON public.sticker_packs FOR EACH ROW EXECUTE FUNCTION count_media_uses('image_url');
CREATE TRIGGER stickers_show_media AFTER INSERT OR DELETE OR UPDATE OF image_url ON public.stickers FOR EACH ROW EXECUTE FUNCTION count_media_uses('image_url');
CREATE TRIGGER support_tickets_show_media AFTER INSERT OR DELETE OR UPDATE OF media ON public.support_tickets FOR EACH ROW EXECUTE FUNCTION count_media_uses('media');
CREATE TRIGGER users_keep_identities AFTER INSERT OR UPDATE OF password_hash, mobile, mobile_verified_at, status ON public.users FOR EACH ROW EXECUTE FUNCTION keep_identities();
CREATE TRIGGER users_show_media AFTER INSERT OR DELETE OR UPDATE OF avatar_url, cover_url ON public.users FOR EACH ROW EXECUTE FUNCTION count_media_uses('avatar_url', 'cover_url');
CREATE TRIGGER vip_plans_show_media AFTER INSERT OR DELETE OR UPDATE OF badge_url ON public.vip_plans FOR EACH ROW EXECUTE FUNCTION count_media_uses('badge_url');
CREATE TRIGGER wallets_keep_bought BEFORE UPDATE ON public.wallets FOR EACH ROW WHEN ((new.bought > (new.balance)::bigint)) EXECUTE FUNCTION wallets_keep_bought();
