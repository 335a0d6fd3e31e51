import type { UserCard } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** The card of each of these users that exists, by id; one statement however many are asked for. */
export async function userCards(ids: readonly string[]): Promise<Map<string, UserCard>> {
  if (ids.length === 0) return new Map();
  const rows = await query<Omit<UserCard, "vip" | "frame">>(
    `SELECT u.id, u.username, u.full_name, u.avatar_url, u.country,
       coalesce((u.settings #>> '{privacy,show_online}')::boolean, true)
         AND EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = u.id AND o.lease_until > now()) AS is_online
     FROM users u WHERE u.id = ANY($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, { ...row, vip: null, frame: null }]));
}

/**
 * The card of one user.
 * @throws NOT_FOUND
 */
export async function userCard(id: string): Promise<UserCard> {
  const card = (await userCards([id])).get(id);
  if (!card) throw new DomainError("NOT_FOUND");
  return card;
}
