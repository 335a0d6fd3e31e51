import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Me, UserSettings } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { getMe } from "./profile.queries.ts";

/** What a person may change about himself. What is left out stays; null takes a value away. */
export interface MeChanges {
  readonly full_name?: string;
  readonly bio?: string;
  readonly country?: string | null;
  readonly avatar_url?: string | null;
  readonly cover_url?: string | null;
  readonly settings?: {
    readonly privacy?: Partial<UserSettings["privacy"]>;
    readonly notifications?: Partial<UserSettings["notifications"]>;
  };
}

/**
 * Changes one's profile and settings. Settings merge key by key, so two devices that change different keys keep both.
 * Publishes `user.card_changed` and `user.privacy_changed` when others have something to see by it.
 */
export async function updateMe(caller: UserPrincipal, changes: MeChanges): Promise<Me> {
  const { userId: user_id } = caller;
  const topics = topicsOf(changes);
  if (topics.length > 0)
    await inTransaction(async (tx) => {
      await write(user_id, changes);
      for (const topic of topics) await tx.publish(topic, { user_id });
    });
  else if (Object.keys(changes).length > 0) await write(user_id, changes);
  return getMe(user_id);
}

function topicsOf({
  full_name,
  avatar_url,
  country,
  settings,
}: MeChanges): ("user.card_changed" | "user.privacy_changed")[] {
  const { show_online, show_current_room } = settings?.privacy ?? {};
  const changes = (...members: unknown[]) => members.some((member) => member !== undefined);
  return [
    ...(changes(full_name, avatar_url, country, show_online) ? ["user.card_changed" as const] : []),
    ...(changes(show_online, show_current_room) ? ["user.privacy_changed" as const] : []),
  ];
}

async function write(userId: string, changes: MeChanges): Promise<void> {
  await query(
    `UPDATE users SET
       full_name = coalesce(change ->> 'full_name', full_name),
       bio = coalesce(change ->> 'bio', bio),
       country = CASE WHEN change ? 'country' THEN change ->> 'country' ELSE country END,
       avatar_url = CASE WHEN change ? 'avatar_url' THEN change ->> 'avatar_url' ELSE avatar_url END,
       cover_url = CASE WHEN change ? 'cover_url' THEN change ->> 'cover_url' ELSE cover_url END,
       settings = jsonb_build_object(
         'privacy', coalesce(settings -> 'privacy', '{}') || coalesce(change #> '{settings,privacy}', '{}'),
         'notifications', coalesce(settings -> 'notifications', '{}') || coalesce(change #> '{settings,notifications}', '{}'))
     FROM (SELECT $2::jsonb AS change) changes WHERE id = $1`,
    [userId, JSON.stringify(changes)],
  );
}
