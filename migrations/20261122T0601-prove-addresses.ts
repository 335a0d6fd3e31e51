type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- An email address or number belongs to the one account that has verified it. Others may have claimed it.
    ALTER TABLE users DROP CONSTRAINT users_email_key, DROP CONSTRAINT users_mobile_key;
    CREATE UNIQUE INDEX users_email_verified_key ON users (email) WHERE email_verified_at IS NOT NULL;
    CREATE UNIQUE INDEX users_mobile_verified_key ON users (mobile) WHERE mobile_verified_at IS NOT NULL;
    CREATE INDEX users_email_idx ON users (email);
    CREATE INDEX users_mobile_idx ON users (mobile) WHERE mobile IS NOT NULL;

    -- Codes last 10 minutes. One for each account that claims an address; "subject" is a keyed hash of purpose and address.
    DROP TABLE verification_codes;
    CREATE TABLE verification_codes (
      subject bytea NOT NULL,
      user_id uuid NOT NULL REFERENCES users (id),
      code_hash bytea NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (subject, user_id)
    );
    CREATE INDEX verification_codes_user_idx ON verification_codes (user_id);
    CREATE INDEX verification_codes_expiry_idx ON verification_codes (expires_at);

    -- Tries of codes, counted by who tries: keyed hashes of an account, a network, or a pool that several share. Those at
    -- unknown addresses are counted as well, so that they take the same time.
    CREATE TABLE verification_tries (
      subject bytea NOT NULL,
      counter bytea NOT NULL,
      tries integer NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (subject, counter)
    );
    CREATE INDEX verification_tries_expiry_idx ON verification_tries (expires_at);

    -- Addresses that have earned a signup bonus, as keyed hashes without their accounts: they outlive them, so that an
    -- address earns once.
    CREATE TABLE signup_bonus_addresses (
      address bytea PRIMARY KEY,
      created_at timestamptz NOT NULL DEFAULT now()
    );

    -- How many bonuses went to a network on a day; "network" is a keyed hash.
    CREATE TABLE signup_bonus_networks (
      network bytea NOT NULL,
      day date NOT NULL,
      bonuses integer NOT NULL,
      PRIMARY KEY (day, network)
    );
  `);
}
