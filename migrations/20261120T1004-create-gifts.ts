type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    CREATE TABLE gift_categories (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE,
      position integer NOT NULL DEFAULT 0,
      retired_at timestamptz
    );

    CREATE TABLE gifts (
      id uuid PRIMARY KEY,
      category_id uuid NOT NULL REFERENCES gift_categories (id),
      name text NOT NULL,
      image_url text NOT NULL,
      animation_url text,
      price bigint NOT NULL CHECK (price BETWEEN 1 AND 1000000000),
      position integer NOT NULL DEFAULT 0,
      retired_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (category_id, name)
    );

    CREATE TABLE gift_transactions (
      id uuid PRIMARY KEY,
      gift_id uuid NOT NULL REFERENCES gifts (id),
      room_id uuid NOT NULL REFERENCES rooms (id),
      sender_id uuid NOT NULL REFERENCES users (id),
      recipient_id uuid NOT NULL REFERENCES users (id),
      quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999),
      unit_price bigint NOT NULL,
      total_coins coins NOT NULL CHECK (total_coins = unit_price * quantity),
      recipient_coins coins NOT NULL CHECK (recipient_coins BETWEEN 0 AND total_coins),
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT gift_transactions_not_to_oneself CHECK (sender_id <> recipient_id)
    );
    CREATE INDEX gift_transactions_sender_idx ON gift_transactions (sender_id, id DESC);
    CREATE INDEX gift_transactions_recipient_idx ON gift_transactions (recipient_id, id DESC);
    CREATE INDEX gift_transactions_sitting_idx ON gift_transactions (room_id, recipient_id, created_at);

    CREATE TABLE coin_packages (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE,
      coins bigint NOT NULL CHECK (coins > 0),
      bonus_coins bigint NOT NULL DEFAULT 0 CHECK (bonus_coins >= 0),
      price bigint NOT NULL CHECK (price > 0),
      currency char(3) NOT NULL,
      position integer NOT NULL DEFAULT 0,
      retired_at timestamptz
    );
  `);
}
