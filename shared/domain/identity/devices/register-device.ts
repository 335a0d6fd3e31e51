import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Device as DeviceView } from "#shared/contracts/views.ts";
import { locks } from "#shared/db/locks.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { assertMayEnter } from "#shared/domain/identity/sanctions/covered.ts";
import { hashOfDevice } from "#shared/domain/identity/sessions/open-session.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { Device } from "./device.model.ts";

export interface DeviceInput {
  readonly platform: DeviceView["platform"];
  /** The app's id of its installation; it survives updates of the app. */
  readonly device_uid: string;
  readonly push_token: string;
}

/** Devices per user. Registering one more deletes the one that registered longest ago. */
export const devicesMax = 20;

/**
 * Registers where pushes for the caller go. Apps call it at each start. A token moves to the caller when another user
 * had it, because the phone has changed hands. Pushes go there until the caller's session ends. `created` is false if
 * the caller had registered this `device_uid` before.
 * @throws SANCTIONED when a sanction keeps the device out
 */
export function registerDevice(
  caller: UserPrincipal,
  input: DeviceInput,
): Promise<{ device: DeviceView; created: boolean }> {
  const { userId: user_id, sessionId: session_id } = caller;
  return inTransaction(async (tx) => {
    await assertMayEnter(tx, user_id, { deviceId: input.device_uid });
    await tx.send("UPDATE sessions SET device_hash = $2 WHERE id = $1", [session_id, hashOfDevice(input.device_uid)]);
    // Serialises calls that register the same token.
    await tx.query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [locks.pushTokens, input.push_token]);
    await tx.query("DELETE FROM user_devices WHERE push_token = $1 AND (user_id, device_uid) <> ($2, $3)", [
      input.push_token,
      user_id,
      input.device_uid,
    ]);

    const newDeviceId = newId();
    const given = { id: newDeviceId, user_id, session_id, ...input, updated_at: isoNow() };
    const changed = ["session_id", "platform", "push_token", "updated_at"] as const;
    const { id, platform, device_uid, created_at } = await Device.put(tx, given, ["user_id", "device_uid"], changed);
    await deleteOldest(tx, user_id);
    return { device: { id, platform, device_uid, created_at }, created: id === newDeviceId };
  });
}

async function deleteOldest(tx: Tx, userId: string): Promise<void> {
  await tx.query(
    `DELETE FROM user_devices WHERE id IN (
       SELECT id FROM user_devices WHERE user_id = $1 ORDER BY updated_at DESC, id DESC OFFSET $2)`,
    [userId, devicesMax],
  );
}
