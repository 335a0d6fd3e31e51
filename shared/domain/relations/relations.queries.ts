import { queryOne } from "#shared/db/query.ts";

export async function areFriends(userId: string, otherId: string): Promise<boolean> {
  const found = await queryOne("SELECT 1 FROM friendships WHERE user_id = $1 AND friend_id = $2", [userId, otherId]);
  return found !== undefined;
}
