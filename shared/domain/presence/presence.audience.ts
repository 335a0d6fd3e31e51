import { queryOne } from "#shared/db/query.ts";

/** Who, by one kind of relation, is told when a user comes or goes. */
export type AudienceSource = (userId: string) => Promise<readonly string[]>;

/** One's own other devices. */
const oneself: AudienceSource = async (userId) => [userId];

/** In the order in which they are asked; features above this one (friends, followers) add theirs. */
const sources: AudienceSource[] = [oneself];

export function addAudienceSource(source: AudienceSource): void {
  sources.push(source);
}

/** The users who are told of this user's presence, each once; nobody when he does not show it. */
export async function presenceAudience(userId: string): Promise<string[]> {
  const user = await queryOne<{ shows: boolean }>(
    `SELECT coalesce((settings #>> '{privacy,show_online}')::boolean, true) AS shows FROM users
     WHERE id = $1 AND status <> 'deleted'`,
    [userId],
  );
  if (!user?.shows) return [];
  const audience = new Set<string>();
  for (const source of sources) for (const id of await source(userId)) audience.add(id);
  return [...audience];
}
