import { daysMs } from "#shared/kernel/clock.ts";

/** How many rows of each kind are seeded. */
export interface LargeSizes {
  readonly users: number;
  readonly ledgerEntries: number;
  /** Reports, and each other kind of rows that administrators list. */
  readonly others: number;
}

/** The tables that grow with the service, without those that administrators don't list. */
export const largeTables = [
  "users",
  "wallets",
  "ledger_movements",
  "ledger_entries",
  "rooms",
  "live_rooms",
  "reports",
  "posts",
  "post_comments",
  "payment_orders",
  "payments",
  "balance_adjustments",
  "support_tickets",
  "broadcasts",
  "audit_log",
] as const;
type LargeTable = (typeof largeTables)[number];

/** The rows spread evenly over this time before now. */
const spreadMs = daysMs(300);
const admins = 5;

/** SQL for one of the values, in turn. */
const pick = (values: readonly string[], n = "n") => `(ARRAY['${values.join("', '")}'])[1 + (${n}) % ${values.length}]`;

const firstNames = ["ada", "grace", "alan", "edsger", "barbara", "donald", "niklaus", "tony", "margaret", "katherine"];
const lastNames = [
  "lovelace",
  "hopper",
  "turing",
  "dijkstra",
  "liskov",
  "knuth",
  "wirth",
  "hoare",
  "hamilton",
  "johnson",
];

/** SQL for a name that one in a hundred rows has, such as `ada lovelace`. */
const fullName = `${pick(firstNames)} || ' ' || ${pick(lastNames, "n / 10")}`;

/** SQL for the ID of row `n` of a table: a UUIDv7 of the row's time, with the number of the table. */
const idOf = (table: LargeTable | "admins", n: string | number): string =>
  `pg_temp.seeded_id(${table === "admins" ? 99 : largeTables.indexOf(table)}, (${n})::bigint)`;

const at = "pg_temp.seeded_at(n)";
const admin = (n: string) => idOf("admins", `1 + (${n}) % ${admins}`);

const userOf = (users: number, n: string) => idOf("users", `1 + (${n}) % ${users}`);

/** SQL for the columns of row `n`. Each status, type, and audience occurs, some of them rarely. */
const columns: Readonly<Record<LargeTable, (sizes: LargeSizes) => Readonly<Record<string, string>>>> = {
  users: () => ({
    id: idOf("users", "n"),
    username: `${pick(firstNames)} || '_' || n`,
    email: "'seeded' || n || '@example.com'",
    mobile: "'+1555' || lpad(n::text, 8, '0')",
    full_name: `initcap(${fullName}) || ' ' || n`,
    password_hash: "'-'",
    country: pick(["IN", "BR", "DE", "US", "NG", "ID", "TR", "MX", "PH", "VN"]),
    settings: "'{}'",
    status:
      "CASE n % 100 WHEN 0 THEN 'suspended' WHEN 1 THEN 'deletion_pending' WHEN 2 THEN 'deleted' ELSE 'active' END",
    suspended_at: `CASE n % 100 WHEN 0 THEN ${at} END`,
    erased_at: `CASE n % 100 WHEN 2 THEN ${at} END`,
    last_seen_at: at,
    created_at: at,
  }),
  wallets: ({ users, ledgerEntries }) => ({
    user_id: idOf("users", "n"),
    balance: "100",
    entry_count: `(${ledgerEntries} / 2 + ${users} - n) / ${users}`,
  }),
  ledger_movements: () => ({
    id: idOf("ledger_movements", "n"),
    reference_type: pick(["adjustment", "gift_transaction", "payment_order", "frame_purchase"]),
    reference_id: idOf("ledger_movements", "n"),
    description: "'Seeded'",
    created_at: at,
    principal_kind: "'service'",
  }),
  ledger_entries: ({ users }) => ({
    id: idOf("ledger_entries", "n"),
    movement_id: idOf("ledger_movements", "(n + 1) / 2"),
    type: pick(["admin_adjustment", "gift_sent", "gift_received", "coin_purchase", "frame_purchase"], "n / 2"),
    user_id: `CASE n % 2 WHEN 0 THEN ${userOf(users, "n / 2")} END`,
    // The accounts of refunds and frames are rare.
    house: `CASE WHEN n % 2 = 0 THEN NULL WHEN n % 1001 = 0 THEN 'debt' WHEN n % 1003 = 0 THEN 'store_revenue' WHEN n % 4 = 1 THEN 'issue' ELSE 'gift_revenue' END`,
    amount: "CASE n % 2 WHEN 0 THEN 10 ELSE -10 END",
    balance_after: "CASE n % 2 WHEN 0 THEN 100 END",
    entry_no: `CASE n % 2 WHEN 0 THEN 1 + (n / 2) / ${users} END`,
    created_at: at,
  }),
  rooms: ({ users }) => ({
    id: idOf("rooms", "n"),
    host_id: userOf(users, "n * 7"),
    name: `initcap(${fullName}) || ' talks ' || n`,
    category: pick(["chat", "music", "games", "dating", "education"]),
    language: "'en'",
    seat_count: "8",
    status: "CASE n % 10 WHEN 0 THEN 'open' ELSE 'closed' END",
    created_at: at,
    closed_at: `CASE WHEN n % 10 > 0 THEN ${at} END`,
  }),
  live_rooms: () => ({
    room_id: idOf("rooms", "n * 10"),
    epoch: "1",
    category: "'chat'",
    member_count: "5",
    seated_count: "2",
    process_id: "'seeded'",
  }),
  reports: ({ users }) => ({
    id: idOf("reports", "n"),
    reporter_id: userOf(users, "n * 3"),
    target_type: pick(["user", "room", "message", "post", "comment"]),
    target_id: `CASE n % 5 WHEN 3 THEN ${idOf("posts", "n")} WHEN 4 THEN ${idOf("post_comments", "n")} ELSE ${userOf(users, "n * 11")} END`,
    target_user_id: userOf(users, "n * 11"),
    reason: "'spam'",
    evidence: "'{}'",
    status: pick(["open", "resolved", "dismissed", "resolved"]),
    created_at: at,
    closed_at: `CASE WHEN n % 4 > 0 THEN ${at} END`,
    closed_by: `CASE WHEN n % 4 > 0 THEN ${admin("n")} END`,
    claimed_by: `CASE n % 1000 WHEN 0 THEN ${admin("n / 1000")} END`,
    claimed_until: "CASE n % 1000 WHEN 0 THEN now() + interval '10 years' END",
  }),
  posts: ({ users }) => ({
    id: idOf("posts", "n"),
    author_id: userOf(users, "n * 13"),
    content: `'I met ' || ${fullName} || ' and we talked about number ' || n`,
    status: "CASE n % 50 WHEN 0 THEN 'hidden' WHEN 1 THEN 'removed' WHEN 2 THEN 'removed' ELSE 'visible' END",
    deleted_at: `CASE n % 50 WHEN 1 THEN ${at} END`,
    likes_count: "(n * 7919) % 1000",
    created_at: at,
  }),
  post_comments: ({ users, others }) => ({
    id: idOf("post_comments", "n"),
    post_id: idOf("posts", `1 + (n * 17) % ${others}`),
    author_id: userOf(users, "n * 19"),
    content: `'Greet ' || ${fullName} || ' from number ' || n`,
    deleted_at: `CASE WHEN n % 50 < 3 THEN ${at} END`,
    moderation: "CASE n % 50 WHEN 0 THEN 'hidden' WHEN 1 THEN 'removed' END",
    created_at: at,
  }),
  payment_orders: ({ users }) => ({
    id: idOf("payment_orders", "n"),
    user_id: userOf(users, "n * 23"),
    kind: "CASE n % 10 WHEN 0 THEN 'vip' ELSE 'coins' END",
    status:
      "CASE n % 20 WHEN 0 THEN 'created' WHEN 1 THEN 'failed' WHEN 2 THEN 'refunded' WHEN 3 THEN 'expired' ELSE 'paid' END",
    amount: "100 * (1 + (n * 7919) % 500)",
    currency: "'INR'",
    title: "'Seeded'",
    credit: "CASE n % 10 WHEN 0 THEN 0 ELSE 100 END",
    package_id: `CASE WHEN n % 10 > 0 THEN ${idOf("payment_orders", 0)} END`,
    plan_id: `CASE n % 10 WHEN 0 THEN ${idOf("payment_orders", 0)} END`,
    duration_days: "CASE n % 10 WHEN 0 THEN 30 END",
    provider: "CASE n % 100 WHEN 0 THEN 'sandbox' ELSE 'razorpay' END",
    provider_order_id: "'order_seeded_' || n",
    created_at: at,
    expires_at: at,
    paid_at: `CASE WHEN n % 20 NOT IN (0, 1, 3) THEN ${at} END`,
    refunded_at: `CASE n % 20 WHEN 2 THEN ${at} END`,
  }),
  payments: () => ({
    id: idOf("payments", "n"),
    order_id: idOf("payment_orders", "n"),
    provider: "CASE n % 100 WHEN 0 THEN 'sandbox' ELSE 'razorpay' END",
    provider_payment_id: "'pay_seeded_' || n",
    amount: "100 * (1 + (n * 7919) % 500)",
    settles: "n % 20 NOT IN (0, 1, 3)",
    created_at: at,
  }),
  balance_adjustments: ({ users }) => ({
    id: idOf("balance_adjustments", "n"),
    user_id: userOf(users, "n * 29"),
    amount: "1 + (n * 7919) % 5000",
    reason: `'Sorry, ' || ${fullName} || ' ' || n`,
    status: "CASE n % 50 WHEN 0 THEN 'pending' WHEN 1 THEN 'declined' WHEN 2 THEN 'expired' ELSE 'approved' END",
    requested_by: admin("n"),
    created_at: at,
    decided_at: `CASE WHEN n % 50 > 0 THEN ${at} END`,
    expires_at: "CASE n % 50 WHEN 0 THEN now() + interval '1 day' END",
  }),
  support_tickets: ({ users }) => ({
    id: idOf("support_tickets", "n"),
    user_id: `CASE WHEN n % 3 > 0 THEN ${userOf(users, "n * 31")} END`,
    email: "'seeded' || n || '@example.com'",
    subject: `'The room of ' || ${fullName} || ' is closed, number ' || n`,
    message: "'-'",
    status: "CASE n % 20 WHEN 0 THEN 'open' WHEN 1 THEN 'answered' ELSE 'closed' END",
    created_at: at,
    updated_at: at,
  }),
  broadcasts: () => ({
    id: idOf("broadcasts", "n"),
    title: `'Hello, ' || ${fullName}`,
    body: "'Seeded ' || n",
    audience: "CASE n % 10 WHEN 0 THEN 'vip' WHEN 1 THEN 'country' WHEN 2 THEN 'user_ids' ELSE 'all' END",
    country: "CASE n % 10 WHEN 1 THEN 'IN' END",
    user_ids: "CASE n % 10 WHEN 2 THEN '{}'::uuid[] END",
    status: "CASE n % 50 WHEN 0 THEN 'stopped' ELSE 'sent' END",
    scheduled_at: at,
    created_by: admin("n"),
    created_at: at,
    started_at: at,
    ended_at: at,
    recipients: "10",
    notified: "10",
  }),
  audit_log: ({ users }) => ({
    id: idOf("audit_log", "n"),
    at,
    principal_kind: "'admin'",
    principal_id: admin("n"),
    role: "'seeded'",
    action: "'seeded.' || n % 50",
    target_type: "'seeded' || n % 20",
    target_id: userOf(users, "n * 37"),
    ip: "''",
    user_agent: "''",
    request_id: "''",
    seq: "1000000 + n",
    hash: "''",
  }),
};

/**
 * Returns the statements that fill the tables that administrators list. Run them in one session without triggers and
 * foreign keys (`session_replication_role = replica`), and analyze the tables afterwards.
 */
export function seedStatements(sizes: LargeSizes): string[] {
  const { users, ledgerEntries, others } = sizes;
  const counts: Partial<Record<LargeTable, number>> = {
    users,
    wallets: users,
    ledger_movements: ledgerEntries / 2,
    ledger_entries: ledgerEntries,
    live_rooms: others / 100,
  };
  const startMs = Date.now() - spreadMs;
  const stepMs = Math.floor(spreadMs / Math.max(users, ledgerEntries, others));
  const timeMs = (table: string) => `(${startMs} + ${table} * ${stepMs})`;
  return [
    `CREATE OR REPLACE FUNCTION pg_temp.seeded_at(n bigint) RETURNS timestamptz IMMUTABLE LANGUAGE sql AS
       $$ SELECT to_timestamp(${timeMs("n")} / 1000.0) $$`,
    `CREATE OR REPLACE FUNCTION pg_temp.seeded_id(kind int, n bigint) RETURNS uuid IMMUTABLE LANGUAGE sql AS
       $$ SELECT (lpad(to_hex(${timeMs("n")}), 12, '0') || '7' || lpad(to_hex(kind), 3, '0') || '8'
         || lpad(to_hex(n), 15, '0'))::uuid $$`,
    `INSERT INTO roles (id, name, permissions) VALUES (${idOf("admins", 0)}, 'seeded', '{}') ON CONFLICT DO NOTHING`,
    `INSERT INTO admins (id, email, full_name, password_hash, role_id)
     SELECT ${idOf("admins", "n")}, 'seeded' || n || '@example.com', 'Seeded', '-', ${idOf("admins", 0)}
     FROM generate_series(1, ${admins}) AS n`,
    ...largeTables.map((table) => {
      const row = columns[table](sizes);
      return `INSERT INTO ${table} (${Object.keys(row).join(", ")})
        SELECT ${Object.values(row).join(", ")} FROM generate_series(1, ${counts[table] ?? others}) AS n`;
    }),
  ];
}
