import type { ManagedUser, ManagedUserDetails } from "#shared/contracts/views.ts";
import { type FilteredList, type ListFilter, listFiltered, readFiltered } from "#shared/db/filtered-list.ts";
import { queryOne } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { sessionWay } from "#shared/domain/identity/sessions/sessions.queries.ts";
import { getWallet, orderColumns } from "#shared/domain/money/payments/payments.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { PageQuery } from "#shared/kernel/page.ts";
import { writtenNumber } from "#shared/kernel/phone-number.ts";

const columns = `u.id, u.username, u.full_name, u.email, u.mobile, u.email_verified_at IS NOT NULL AS email_verified,
  u.mobile_verified_at IS NOT NULL AS mobile_verified, u.country, u.status, u.suspended_until, u.created_at,
  u.last_seen_at`;

const uuid = "'^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'";

const form = "search_form(ltrim(?::text, '@'))";
const pattern = String.raw`'%' || regexp_replace(${form}, '([\\%_])', '\\\1', 'g') || '%'`;

/** The most users that are found by each way of searching: many can have one name. */
export const foundMax = 500;

/** Selects users whose name begins with the query. No character comes after U+10FFFF. */
const begins = (name: string): string => `
  SELECT id FROM users WHERE ${name} ~>=~ ${form} AND ${name} ~<~ (${form} || chr(1114111)) AND ${form} <> ''
  ORDER BY ${name} USING ~<~ LIMIT ${foundMax}`;

/** Selects users whose name contains it, if too few begin with it. Shorter parts have no trigrams. */
const contains = (name: string, beginning: string): string => `
  SELECT id FROM users WHERE ${name} LIKE ${pattern} AND length(${form}) >= 3
    AND (SELECT count(*) FROM ${beginning}) < ${foundMax}`;

const users: FilteredList = {
  columns,
  from: "users u",
  id: "u.id",
  filters: {
    status: "u.status = ?",
  },
  // Each way has an index of its own; the planner uses none for a condition that joins them by OR. Materialized,
  // because with a limit in sight it would read the table until it has found enough.
  search: `
    WITH by_username AS MATERIALIZED (${begins("username")}),
      by_name AS MATERIALIZED (${begins("search_form(full_name)")}),
      like_username AS MATERIALIZED (${contains("username", "by_username")}),
      like_name AS MATERIALIZED (${contains("search_form(full_name)", "by_name")})
    SELECT id FROM users WHERE id = CASE WHEN lower(?::text) ~ ${uuid} THEN (?::text)::uuid END
    UNION SELECT id FROM users WHERE email = lower(?::text)
    UNION SELECT id FROM users WHERE mobile = ?::text
    UNION SELECT user_id FROM identities WHERE subject = ?::text
    UNION SELECT id FROM by_username UNION SELECT id FROM by_name
    UNION (SELECT id FROM like_username LIMIT ${foundMax}) UNION (SELECT id FROM like_name LIMIT ${foundMax})`,
  sorts: { created_at: "u.id", username: "u.username" },
};

/** A mobile number is found as people write it. */
const searched = ({ q, ...filter }: ListFilter): ListFilter =>
  typeof q === "string" ? { ...filter, q: writtenNumber(q) ?? q } : filter;

/**
 * Returns a page of all accounts. `q`: a part of a name, or a whole email address, mobile number, or ID, also at a
 * provider.
 */
export const listUsers = (filter: ListFilter, page: PageQuery) =>
  listFiltered<ManagedUser>(users, searched(filter), page);

/** Yields the same list in batches. */
export const readUsers = (filter: ListFilter) => readFiltered<ManagedUser>(users, searched(filter));

/** Returns one account. @throws NOT_FOUND */
export async function getManagedUser(userId: string): Promise<ManagedUser> {
  const found = await queryOne<ManagedUser>(`SELECT ${columns} FROM users u WHERE u.id = $1`, [userId]);
  if (!found) throw new DomainError("NOT_FOUND");
  return found;
}

type ProfileField =
  | "bio"
  | "avatar_url"
  | "cover_url"
  | "deletion_due_at"
  | "is_online"
  | "current_room_id"
  | "is_guest"
  | "guest_ended_at"
  | "second_factor";
type Profile = ManagedUser &
  Pick<ManagedUserDetails, ProfileField> & {
    suspended_reason: string | null;
    suspended_at: string | null;
  };

const profile = `SELECT ${columns}, u.bio, u.avatar_url, u.cover_url, u.deletion_due_at, u.suspended_reason, u.suspended_at,
    u.is_guest, u.guest_ended_at, u.totp_confirmed_at IS NOT NULL AS second_factor,
    EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = u.id AND o.lease_until > now()) AS is_online,
    (SELECT room_id FROM room_presence WHERE user_id = u.id) AS current_room_id
  FROM users u WHERE u.id = $1`;

/** The newest rows of each part of a user's details. */
const partSize = 10;

interface Part {
  readonly columns: string;
  readonly from: string;
  /** `$1` is the user. */
  readonly where: string;
  readonly order?: string;
}

const reportColumns = "id, target_type, target_id, reporter_id, target_user_id, reason, status, created_at";
const giftColumns = "id, gift_id, room_id, sender_id, recipient_id, quantity, total_coins, created_at";

const parts = {
  sessions: {
    columns: `id, coalesce(user_agent, '') AS user_agent, coalesce(ip, '') AS ip, ${sessionWay}, created_at, last_used_at,
      least(expires_at, last_used_at + interval '30 days') AS expires_at`,
    from: "sessions",
    where: "user_id = $1 AND revoked_at IS NULL AND least(expires_at, last_used_at + interval '30 days') > now()",
    order: "last_used_at DESC, id DESC",
  },
  identities: {
    columns: `provider, CASE WHEN provider NOT IN ('password', 'guest') THEN subject END AS subject, email,
      email_verified, linked_at, last_used_at`,
    from: "identities",
    where: "user_id = $1",
    order: "linked_at DESC, provider",
  },
  devices: { columns: "id, platform, created_at, updated_at", from: "user_devices", where: "user_id = $1" },
  reports_by: { columns: reportColumns, from: "reports", where: "reporter_id = $1" },
  reports_against: { columns: reportColumns, from: "reports", where: "target_user_id = $1" },
  orders: { columns: orderColumns, from: "payment_orders", where: "user_id = $1" },
  gifts_sent: { columns: giftColumns, from: "gift_transactions", where: "sender_id = $1" },
  gifts_received: { columns: giftColumns, from: "gift_transactions", where: "recipient_id = $1" },
  rooms: { columns: "id, name, status, created_at, closed_at", from: "rooms", where: "host_id = $1" },
} satisfies Record<string, Part>;

async function readPart(userId: string, { columns, from, where, order = "id DESC" }: Part) {
  const { total, items } = await queryPage(
    {
      count: `SELECT count(*) FROM ${from} WHERE ${where}`,
      rows: `SELECT ${columns} FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT $2 OFFSET $3`,
    },
    [userId],
    { page: 1, limit: partSize },
  );
  return { total, items };
}

/** Returns an account with its wallet, and the newest of what else belongs to it. @throws NOT_FOUND */
export async function getUserDetails(userId: string): Promise<ManagedUserDetails> {
  const found = await queryOne<Profile>(profile, [userId]);
  if (!found) throw new DomainError("NOT_FOUND");

  const { suspended_reason, suspended_at, ...account } = found;
  const isSuspended = account.status === "suspended" && suspended_at !== null;
  const read = await Promise.all(
    Object.entries<Part>(parts).map(async ([name, part]) => [name, await readPart(userId, part)] as const),
  );
  return {
    ...account,
    suspension: isSuspended
      ? { reason: suspended_reason ?? "", since: suspended_at, until: account.suspended_until }
      : null,
    wallet: await getWallet(userId),
    ...(Object.fromEntries(read) as Pick<ManagedUserDetails, keyof typeof parts>),
  };
}
