import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Post, PostMedia, PostVisibility } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { PostModel } from "./posts.model.ts";

/** Validated: there is content or media. */
export interface PostInput {
  readonly content?: string;
  readonly media?: PostMedia[];
  /** The default is public. */
  readonly visibility?: PostVisibility;
}

/** Creates a post. Its media addresses are stored unchanged and never fetched. */
export async function createPost(caller: UserPrincipal, input: PostInput): Promise<Post> {
  const { content = "", media = [], visibility = "public" } = input;
  return inTransaction(async (tx) => {
    const author_id = caller.userId;
    const { id, created_at } = await PostModel.insert(tx, {
      id: newId(),
      author_id,
      content,
      media,
      visibility,
    });
    await tx.publish("post.created", { post_id: id, author_id, visibility });
    return {
      id,
      author: await findUserCard(author_id),
      content,
      media,
      visibility,
      likes_count: 0,
      comments_count: 0,
      liked_by_me: false,
      created_at,
    };
  });
}
