type Run = (sql: string) => Promise<void>;

/** Agencies, their plans, staff, invitations, and contracts with hosts. */
export async function up(run: Run): Promise<void> {
  await run(`
    CREATE EXTENSION IF NOT EXISTS btree_gist;

    -- Targets, whose weights add up to 100, and levels of hosts by what they earn in a period.
    CREATE TABLE agency_plans (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE,
      period text NOT NULL CHECK (period IN ('week', 'month')),
      day_minutes integer NOT NULL CHECK (day_minutes BETWEEN 0 AND 1440),
      targets jsonb NOT NULL,
      levels jsonb NOT NULL,
      retired_at timestamptz,
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );

    -- Its owner is paid its share of gifts and its commissions. The zone and the period say what its runs settle.
    CREATE TABLE agencies (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE,
      owner_id uuid NOT NULL REFERENCES users,
      country text NOT NULL,
      time_zone text NOT NULL,
      period text NOT NULL CHECK (period IN ('week', 'month')),
      status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
      retired_at timestamptz,
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      -- Null: its hosts get no salary.
      plan_id uuid REFERENCES agency_plans
    );
    CREATE INDEX agencies_owner_idx ON agencies (owner_id);

    -- Those who act for an agency beside its owner.
    CREATE TABLE agency_staff (
      agency_id uuid NOT NULL REFERENCES agencies ON DELETE CASCADE,
      user_id uuid NOT NULL REFERENCES users,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (agency_id, user_id)
    );
    CREATE INDEX agency_staff_user_idx ON agency_staff (user_id);

    CREATE TABLE agency_invitations (
      id uuid PRIMARY KEY,
      agency_id uuid NOT NULL REFERENCES agencies,
      user_id uuid NOT NULL REFERENCES users,
      invited_by uuid NOT NULL REFERENCES users,
      commission_basis_points integer NOT NULL CHECK (commission_basis_points BETWEEN 0 AND 10000),
      term_months integer CHECK (term_months BETWEEN 1 AND 120),
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'accepted', 'declined', 'withdrawn')),
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      answered_at timestamptz
    );
    CREATE UNIQUE INDEX agency_invitations_pending_key ON agency_invitations (agency_id, user_id) WHERE status = 'pending';
    CREATE INDEX agency_invitations_user_idx ON agency_invitations (user_id, id);
    CREATE INDEX agency_invitations_agency_idx ON agency_invitations (agency_id, id);
    CREATE INDEX agency_invitations_by_idx ON agency_invitations (invited_by);
    CREATE INDEX agency_invitations_expiry_idx ON agency_invitations (expires_at);

    -- A host's agency, from a time until another. A host has one at a time.
    CREATE TABLE contracts (
      id uuid PRIMARY KEY,
      agency_id uuid NOT NULL REFERENCES agencies,
      host_id uuid NOT NULL REFERENCES users,
      commission_basis_points integer NOT NULL CHECK (commission_basis_points BETWEEN 0 AND 10000),
      starts_at timestamptz NOT NULL DEFAULT now(),
      -- Null: until one of the two gives notice.
      ends_at timestamptz CHECK (ends_at >= starts_at),
      ended_by text CHECK (ended_by IN ('host', 'agency', 'admin', 'erasure')),
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT contracts_one_at_a_time EXCLUDE USING gist (host_id WITH =, tstzrange(starts_at, ends_at) WITH &&)
    );
    CREATE INDEX contracts_agency_idx ON contracts (agency_id, id);
    CREATE INDEX contracts_host_idx ON contracts (host_id, starts_at);

    -- An agency invites, not a user.
    ALTER TABLE notification_parts ALTER COLUMN actor_id DROP NOT NULL;
  `);
}
