/** SQL for an ID of row `n` of a kind, in the order of `n`. */
export const idOf = (kind: number, n: string) =>
  `('01900000-' || lpad(to_hex((${n}) / 65536), 4, '0') || '-7' || lpad(to_hex(${kind}), 3, '0') || '-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
export const user = (n: string) => idOf(1, n);

/** What the columns of seeded rows are made of, as SQL. */
export interface Seed {
  readonly every: number;
  readonly viewer: string;
  /** Another user. */
  readonly other: string;
  readonly roomId: string;
  readonly conversationId: string;
  readonly agencyId: string;
  readonly postId: string;
  readonly webhookId: string;
  /** The viewer's in every so many rows, else another's. */
  owned(id: string, other: string): string;
}

/** The columns of what has to do with money. */
export const moneyColumns = {
  payment_orders: (s: Seed) => ({
    id: idOf(33, "n"),
    user_id: s.owned(s.viewer, s.other),
    kind: "'deposit'",
    amount: "100",
    currency: "'INR'",
    title: "'Deposit'",
    asset: "'INR'",
    credit: "100",
    provider: "'sandbox'",
    provider_order_id: "'order_' || n",
    expires_at: "now()",
  }),
  seller_transfers: (s: Seed) => ({
    ...{ id: idOf(35, "n"), seller_id: s.owned(s.viewer, s.other), recipient_id: user("n"), coins: "10", bought: "0" },
  }),
  payouts: (s: Seed) => ({
    id: idOf(31, "n"),
    user_id: s.owned(s.viewer, s.other),
    method_id: idOf(32, "n"),
    kind: "'upi'",
    provider: "'sandbox'",
    amount: "10",
    currency: "'INR'",
    rate: "1",
    fee: "0",
    net: "10",
    shown: "''",
  }),
  agencies: (s: Seed) => ({
    id: idOf(18, "n"),
    name: "'Agency ' || n",
    owner_id: s.owned(s.viewer, user("n")),
    country: "'IN'",
    time_zone: "'UTC'",
    period: "'month'",
  }),
  agency_staff: (s: Seed) => ({ agency_id: s.owned(s.agencyId, idOf(18, "n")), user_id: user("n") }),
  agency_invitations: (s: Seed) => ({
    id: idOf(19, "n"),
    agency_id: s.owned(s.agencyId, idOf(18, "n")),
    user_id: `CASE n % ${s.every} WHEN 1 THEN ${s.viewer} ELSE ${user("n")} END`,
    invited_by: s.other,
    commission_basis_points: "0",
    expires_at: "now() + interval '1 day'",
  }),
  contracts: (s: Seed) => ({
    id: idOf(20, "n"),
    agency_id: s.owned(s.agencyId, idOf(18, "n")),
    host_id: `CASE n % ${s.every} WHEN 1 THEN ${s.viewer} ELSE ${user("n")} END`,
    commission_basis_points: "0",
    starts_at: "now() - n * interval '1 minute'",
    ends_at: `CASE n % ${s.every} WHEN 1 THEN now() - (n - 1) * interval '1 minute' END`,
  }),
  runs: (s: Seed) => ({
    ...{ id: idOf(36, "n"), period: "'week'", starts_on: "'2000-01-03'::date + 7 * n", time_zone: "'UTC'" },
    ...{ starts_at: "now() - interval '7 days'", ends_at: "now()", status: "'paid'", created_by: s.other },
  }),
  run_lines: (s: Seed) => ({
    ...{ id: idOf(37, "n"), run_id: idOf(36, "n"), contract_id: idOf(20, "n"), owner_id: s.other },
    agency_id: s.owned(s.agencyId, idOf(18, "n")),
    host_id: `CASE n % ${s.every} WHEN 1 THEN ${s.viewer} ELSE ${user("n")} END`,
    ...{ earnings: "0", seat_seconds: "0", seat_days: "0", weight: "0", salary: "0", commission: "0" },
    how: `'{"since": "2026-01-01T00:00:00Z", "until": "2026-02-01T00:00:00Z", "targets": [], "level": null}'`,
  }),
};
