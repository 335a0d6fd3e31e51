import { queryColumn } from "#shared/db/query.ts";

/** Returns which of these users to push to: those who are not connected, want pushes, and have a device. */
export function reachableByPush(userIds: readonly string[]): Promise<string[]> {
  return queryColumn(
    `SELECT u.id FROM users u
     WHERE u.id = ANY($1::uuid[]) AND u.status IN ('active', 'deletion_pending')
       AND coalesce((u.settings #>> '{notifications,push}')::boolean, true)
       AND NOT EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = u.id AND o.lease_until > now())
       AND EXISTS (SELECT 1 FROM user_devices d JOIN sessions s ON s.id = d.session_id
                   WHERE d.user_id = u.id AND s.revoked_at IS NULL AND s.expires_at > now())`,
    [userIds],
  );
}
