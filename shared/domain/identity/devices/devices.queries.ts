import type { Device as DeviceView } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { alone } from "#shared/db/transaction.ts";

export interface PushTarget {
  device_id: string;
  user_id: string;
  platform: DeviceView["platform"];
  push_token: string;
}

/** Returns the devices of these users, as far as their sessions are active. */
export function pushTargets(userIds: readonly string[]): Promise<PushTarget[]> {
  return query<PushTarget>(
    `SELECT d.id AS device_id, d.user_id, d.platform, d.push_token FROM user_devices d JOIN sessions s ON s.id = d.session_id
     WHERE d.user_id = ANY($1::uuid[]) AND s.revoked_at IS NULL AND s.expires_at > now()
     ORDER BY d.updated_at DESC`,
    [userIds],
  );
}

/** Deletes tokens that the push provider has reported as invalid. */
export async function dropPushTokens(tokens: readonly string[]): Promise<void> {
  if (tokens.length > 0) await alone("DELETE FROM user_devices WHERE push_token = ANY($1)", [tokens]);
}
