import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Me, UserSettings } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { authorOf } from "#shared/domain/base/filter/author.ts";
import { checkContents } from "#shared/domain/base/filter/check-content.ts";
import { assertOwnAddresses } from "#shared/domain/base/media/own-addresses.ts";
import { takePicture } from "#shared/domain/base/media/take-media.ts";
import { getMe } from "./profile.queries.ts";
import { User } from "./user.model.ts";

/** The fields that users may change about themselves. Fields left out keep their values; null clears a value. */
export interface MeChanges
  extends Partial<Pick<Me, "full_name" | "bio" | "country" | "avatar_url" | "cover_url" | "language">> {
  /** An upload of theirs, instead of `avatar_url`; null for none. */
  readonly avatar_media_id?: string | null;
  /** Likewise, instead of `cover_url`. */
  readonly cover_media_id?: string | null;
  readonly settings?: {
    readonly privacy?: Partial<UserSettings["privacy"]>;
    readonly notifications?: Partial<UserSettings["notifications"]>;
  };
}

/**
 * Changes the caller's profile and settings. Settings merge key by key, so two devices that change different keys keep
 * both. Publishes `user.card_changed` and `user.privacy_changed` if other users can see the change.
 * @throws CONTENT_BLOCKED; NOT_FOUND, CONFLICT for an upload that isn't theirs, or isn't ready
 */
export async function updateMe(caller: UserPrincipal, given: MeChanges): Promise<Me> {
  const { userId: user_id } = caller;
  assertOwnAddresses([given.avatar_url, given.cover_url]);
  const allowed = checkContents(given, { full_name: "name", bio: "bio" }, await authorOf(user_id));
  const changes = await withPictures(user_id, allowed);
  const topics = topicsOf(changes);
  const { language } = changes;
  if (Object.keys(changes).length > 0)
    await inTransaction(async (tx) => {
      await write(tx, user_id, changes);
      for (const topic of topics) await tx.publish(topic, { user_id });
      if (language !== undefined) await tx.signal("user.language_changed", { user_id, language });
    });
  return getMe(user_id);
}

/** Changes the caller's settings, like `updateMe`. */
export const updateSettings = async (
  caller: UserPrincipal,
  settings: NonNullable<MeChanges["settings"]>,
): Promise<UserSettings> => (await updateMe(caller, { settings })).settings;

/** Replaces the IDs of uploads by their addresses. */
async function withPictures(userId: string, { avatar_media_id, cover_media_id, ...changes }: MeChanges) {
  const addressOf = async (purpose: "avatar" | "cover", id: string | null) =>
    id === null ? null : await takePicture(userId, purpose, id, purpose === "avatar" ? "medium" : "large");
  return {
    ...changes,
    ...(avatar_media_id !== undefined && { avatar_url: await addressOf("avatar", avatar_media_id) }),
    ...(cover_media_id !== undefined && { cover_url: await addressOf("cover", cover_media_id) }),
  };
}

type Changes = Awaited<ReturnType<typeof withPictures>>;

function topicsOf({
  full_name,
  avatar_url,
  country,
  settings,
}: Changes): ("user.card_changed" | "user.privacy_changed")[] {
  const { show_online, show_current_room } = settings?.privacy ?? {};
  const changes = (...fields: unknown[]) => fields.some((field) => field !== undefined);
  return [
    ...(changes(full_name, avatar_url, country, show_online) ? ["user.card_changed" as const] : []),
    ...(changes(show_online, show_current_room) ? ["user.privacy_changed" as const] : []),
  ];
}

async function write(tx: Tx, userId: string, { settings, ...changes }: Changes): Promise<void> {
  const stored = settings && (await User.lock(tx, { id: userId }, ["settings"]))?.settings;
  const merged = stored && {
    privacy: { ...stored.privacy, ...settings.privacy },
    notifications: { ...stored.notifications, ...settings.notifications },
  };
  await User.change(tx, { id: userId }, { ...changes, ...(merged && { settings: merged }) });
}
