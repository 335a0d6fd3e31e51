import { Op } from "sequelize";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { clock } from "#shared/kernel/clock.ts";
import { notYourPost } from "./posts.errors.ts";
import { PostModel } from "./posts.model.ts";
import { accessPost } from "./posts.policy.ts";

/**
 * Deletes a post of the caller's for good, also one that an administrator has hidden. It stays stored for reports about
 * it, invisible to everyone.
 * @throws NOT_FOUND (also for a post that the caller can't see), FORBIDDEN
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
