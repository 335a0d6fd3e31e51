import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { clock } from "#shared/kernel/clock.ts";
import { notYourPost } from "./posts.errors.ts";
import { PostModel } from "./posts.model.ts";
import { accessPost } from "./posts.policy.ts";

/**
 * Deletes a post of the caller's for good, also one that an administrator has hidden. It stays stored for reports about
 * it, invisible to everyone. Publishes `post.deleted`.
 * @throws NOT_FOUND (also for a post that the caller can't see), FORBIDDEN
 */
export async function deletePost(caller: UserPrincipal, postId: string): Promise<void> {
  if (await inTransaction((tx) => deleteStep(tx, caller.userId, postId))) return;
  await accessPost(caller.userId, postId);
  throw notYourPost();
}

/** Returns false if the caller has no such post. */
async function deleteStep(tx: Tx, userId: string, postId: string): Promise<boolean> {
  const post = await PostModel.lock(tx, { id: postId, author_id: userId }, ["status"]);
  if (!post || post.status === "removed") return false;
  await PostModel.change(tx, { id: postId }, { status: "removed", deleted_at: new Date(clock.now()).toISOString() });
  await tx.publish("post.deleted", { post_id: postId, author_id: userId });
  return true;
}
