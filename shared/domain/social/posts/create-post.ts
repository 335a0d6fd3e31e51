import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Post, PostMedia, PostVisibility } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { checkContent } from "#shared/domain/base/filter/check-content.ts";
import { addressOfSize, type StoredCard, toMediaCard } from "#shared/domain/base/media/media-card.ts";
import { assertOwnAddresses } from "#shared/domain/base/media/own-addresses.ts";
import { takeMedia } from "#shared/domain/base/media/take-media.ts";
import { findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { PostModel } from "./posts.model.ts";

/** Returns a picture as posts show it. */
function toPostMedia(card: StoredCard): PostMedia {
  const { width, height, blurhash, variants } = toMediaCard(card);
  const addresses = variants.map(({ name, url }) => ({ name, url }));
  return { url: addressOfSize(card, "large"), type: "image", width, height, blurhash, variants: addresses };
}

/** Validated: there is content or media. */
export interface PostInput {
  readonly content?: string;
  readonly media?: PostMedia[];
  /** Uploads of theirs, after `media`. */
  readonly media_ids?: readonly string[];
  /** The default is public. */
  readonly visibility?: PostVisibility;
}

/**
 * Creates a post. Addresses of media outside of the service are stored unchanged and never fetched.
 * @throws CONTENT_BLOCKED; NOT_FOUND, CONFLICT for an upload that isn't theirs, or isn't ready
 */
export async function createPost(caller: UserPrincipal, input: PostInput): Promise<Post> {
  const { visibility = "public" } = input;
  const content = checkContent("post", input.content ?? "");
  const given = input.media ?? [];
  assertOwnAddresses(given.map(({ url }) => url));
  const uploads = await takeMedia(caller.userId, "post", input.media_ids ?? []);
  const media = [...given, ...uploads.map(toPostMedia)];
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
