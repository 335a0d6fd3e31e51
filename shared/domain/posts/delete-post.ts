import { Op } from "sequelize";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { clock } from "#shared/kernel/clock.ts";
import { notYourPost } from "./posts.errors.ts";
import { PostModel } from "./posts.model.ts";
import { accessPost } from "./posts.policy.ts";

/**
 * Takes a post of one's own away for good, also one that an administrator has hidden. It stays stored, out of everybody's
 * sight, for reports about it.
 * @throws NOT_FOUND (also for somebody else's that the caller may not see), FORBIDDEN
 */
export async function deletePost(caller: UserPrincipal, postId: string): Promise<void> {
  const [deleted] = await PostModel.update(
    { status: "removed", deleted_at: new Date(clock.now()) },
    { where: { id: postId, author_id: caller.userId, status: { [Op.ne]: "removed" } } },
  );
  if (deleted > 0) return;
  await accessPost(caller.userId, postId);
  throw notYourPost();
}
