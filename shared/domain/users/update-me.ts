import type { Caller } from "#shared/contracts/caller.ts";
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
 * Publishes `user.privacy_changed` when it concerns what others see of one's presence.
 */
export async function updateMe(caller: Caller, changes: MeChanges): Promise<Me> {
  const { show_online, show_current_room } = changes.settings?.privacy ?? {};
  if (show_online !== undefined || show_current_room !== undefined)
    await inTransaction(async (tx) => {
      await write(caller.userId, changes);
      await tx.publish("user.privacy_changed", { user_id: caller.userId });
    });
  else if (Object.keys(changes).length > 0) await write(caller.userId, changes);
  return getMe(caller.userId);
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
