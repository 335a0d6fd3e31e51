import type { Caller } from "#shared/contracts/caller.ts";
import type { Me, UserSettings } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
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

/** Changes one's profile and settings. Settings merge key by key, so two devices that change different keys keep both. */
export async function updateMe(caller: Caller, changes: MeChanges): Promise<Me> {
  if (Object.keys(changes).length > 0)
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
      [caller.userId, JSON.stringify(changes)],
    );
  return getMe(caller.userId);
}
