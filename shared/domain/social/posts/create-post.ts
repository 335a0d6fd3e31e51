import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Post, PostMedia, PostVisibility } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { authorOf } from "#shared/domain/base/filter/author.ts";
import { judgeContent } from "#shared/domain/base/filter/check-content.ts";
import { type AlsoStored, hold, reviewed } from "#shared/domain/base/filter/held-content.ts";
import { addressOfSize, type StoredCard, toMediaCard } from "#shared/domain/base/media/media-card.ts";
import { assertOwnAddresses } from "#shared/domain/base/media/own-addresses.ts";
import { takeMedia } from "#shared/domain/base/media/take-media.ts";
import { findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import { newId, timeOfId } from "#shared/kernel/ids.ts";
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
export async function createPost(caller: UserPrincipal, given: PostInput): Promise<Post> {
  const { userId } = caller;
  assertOwnAddresses((given.media ?? []).map(({ url }) => url));
  const { text: content, held, alert } = judgeContent("post", given.content ?? "", await authorOf(userId));
  const input = { ...given, content };
  const written = { place: "post", userId, targetId: null, text: content } as const;
  if (!held) return publishPost(caller, input, reviewed(written, alert));
  const media = await mediaOf(userId, input);
  const id = await inTransaction((tx) => hold(tx, { ...written, input }, held));
  const created_at = new Date(timeOfId(id)).toISOString();
  return { ...(await viewOf(userId, { id, media, created_at, visibility: "public", ...input })), held: true };
}

/** Publishes a post that the rules have let pass. */
export async function publishPost(
  { userId }: Pick<UserPrincipal, "userId">,
  input: PostInput & { readonly content: string },
  also?: AlsoStored,
): Promise<Post> {
  const { visibility = "public", content } = input;
  const media = await mediaOf(userId, input);
  return inTransaction(async (tx) => {
    const post = { id: newId(), content, media, visibility };
    const { id, created_at } = await PostModel.insert(tx, { ...post, author_id: userId });
    await tx.publish("post.created", { post_id: id, author_id: userId, visibility });
    await also?.(tx, id);
    return viewOf(userId, { ...post, created_at });
  });
}

async function mediaOf(userId: string, { media = [], media_ids = [] }: PostInput): Promise<PostMedia[]> {
  const uploads = await takeMedia(userId, "post", media_ids);
  return [...media, ...uploads.map(toPostMedia)];
}

type NewPost = Pick<Post, "id" | "content" | "media" | "visibility" | "created_at">;

const viewOf = async (userId: string, { id, content, media, visibility, created_at }: NewPost): Promise<Post> => ({
  id,
  author: await findUserCard(userId),
  content,
  media,
  visibility,
  likes_count: 0,
  comments_count: 0,
  liked_by_me: false,
  created_at,
});
