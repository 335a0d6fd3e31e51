import type { UserCard } from "#shared/contracts/views.ts";
import { query, queryColumn } from "#shared/db/query.ts";
import { type PagedStatement, queryPage } from "#shared/db/query-page.ts";
import { judgedByPrimary, queryAnywhere } from "#shared/db/replica.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

/** The active VIP plan of the users row `u` that was bought last, with the end of its last period; or null. */
export const vipBadge = `(
  SELECT json_build_object('plan_id', p.id, 'name', p.name, 'badge_url', p.badge_url, 'expires_at',
    to_char(max(v.ends_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  FROM vip_periods v JOIN vip_plans p ON p.id = v.plan_id
  WHERE v.user_id = u.id AND v.ended_at IS NULL AND v.ends_at > now()
  GROUP BY p.id ORDER BY max(v.created_at) DESC LIMIT 1)`;

/** The frame that the users row `u` has equipped and still owns; or null. */
export const frameBadge = `(
  SELECT json_build_object('id', f.id, 'name', f.name, 'image_url', f.image_url)
  FROM frame_ownerships o JOIN frames f ON f.id = o.frame_id
  WHERE o.user_id = u.id AND o.equipped AND (o.expires_at IS NULL OR o.expires_at > now()))`;

/** The card of the users row `u` as JSON; the only place that builds one. `online` is an SQL condition. */
const cardJson = (online: string) => `json_build_object('id', u.id, 'username', u.username, 'full_name', u.full_name,
  'avatar_url', u.avatar_url, 'country', u.country,
  'is_online', coalesce((u.settings #>> '{privacy,show_online}')::boolean, true)
    AND ${online},
  'vip', ${vipBadge}, 'frame', ${frameBadge})`;

/** The offset keeps it a lookup for each card: for a page of cards, the planner would read all who are online. */
const connected = judgedByPrimary(
  "EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = u.id AND o.lease_until > now() OFFSET 0)",
  async (rows) => {
    const shown = onlineCards(rows);
    const ids = shown.map(({ id }) => id);
    const online = ids.length === 0 ? [] : await queryColumn(onlineOf, [ids]);
    for (const card of shown) card.is_online = online.includes(card.id);
  },
);
const onlineOf = "SELECT user_id FROM online_users WHERE user_id = ANY($1::uuid[]) AND lease_until > now()";

/** Returns the cards in rows, at any depth, that say that their user is online. */
function onlineCards(found: unknown): { id: string; is_online: boolean }[] {
  if (typeof found !== "object" || found === null) return [];
  const own = "is_online" in found && found.is_online === true ? [found as { id: string; is_online: boolean }] : [];
  return [...own, ...Object.values(found).flatMap(onlineCards)];
}

/** The card of the users row `u` as one JSON column, for statements that list something together with its user. */
export const userCardJson = cardJson(connected);

async function loadCards(json: string, ids: readonly string[], ...more: string[]): Promise<Map<string, UserCard>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ card: UserCard }>(`SELECT ${json} AS card FROM users u WHERE u.id = ANY($1::uuid[])`, [
    ids,
    ...more,
  ]);
  return new Map(rows.map(({ card }) => [card.id, card]));
}

/** Returns the cards of the users that exist, by id, in one statement. */
export const userCards = (ids: readonly string[], json = userCardJson) => loadCards(json, ids);

/**
 * The same as a viewer may see it, given by an SQL expression, for lists of past events. Such lists keep users blocked
 * by the viewer or blocking them, whose presence must not show.
 */
export const seenCardJson = (viewer: string) =>
  cardJson(`${connected} AND u.id NOT IN (SELECT blocked_people(${viewer}))`);

const seenJson = seenCardJson("$2");

/** Returns cards as `viewerId` may see them, for such lists. */
export const seenCards = (viewerId: string, ids: readonly string[]) => loadCards(seenJson, ids, viewerId);

/** Returns the card of one user. @throws NOT_FOUND */
export async function findUserCard(id: string, json = userCardJson): Promise<UserCard> {
  const card = (await userCards([id], json)).get(id);
  if (!card) throw new DomainError("NOT_FOUND");
  return card;
}

/** Returns a page of cards. The statement selects each as `card`. */
export async function pageOfCards(
  statement: PagedStatement,
  values: readonly unknown[],
  page: PageQuery,
): Promise<Page<UserCard>> {
  const found = await queryPage<{ card: UserCard }>(statement, values, page, queryAnywhere);
  return { ...found, items: found.items.map(({ card }) => card) };
}

const connectedJson = cardJson("true");

/**
 * Returns cards of users who are known to be connected, maybe before the database knows: online, unless they hide it.
 */
export const connectedCards = (ids: readonly string[]) => userCards(ids, connectedJson);

/** @throws NOT_FOUND */
export const connectedCard = (id: string): Promise<UserCard> => findUserCard(id, connectedJson);
