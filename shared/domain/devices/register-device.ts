import { Op } from "sequelize";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Device as DeviceView } from "#shared/contracts/views.ts";
import { locks } from "#shared/db/locks.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { Device, type DevicePlatform } from "./device.model.ts";

export interface DeviceInput {
  readonly platform: DevicePlatform;
  /** What the app calls its installation; the same after an update of the app. */
  readonly device_uid: string;
  readonly push_token: string;
}

/** Devices that one person may have; registering one more forgets the one that was longest not heard of. */
export const devicesMax = 20;

/**
 * Says where pushes for the caller go; again and again, as apps do at each start. A token that was somebody else's is
 * his no longer: the phone has changed hands. Pushes go there until the caller's session ends.
 */
export function registerDevice(caller: UserPrincipal, input: DeviceInput): Promise<DeviceView> {
  const { userId: user_id, sessionId: session_id } = caller;
  return inTransaction(async (tx) => {
    // Two who bring the same token at once come one after the other.
    await tx.query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [locks.pushTokens, input.push_token]);
    await Device.destroy({
      where: {
        push_token: input.push_token,
        [Op.or]: [{ user_id: { [Op.ne]: user_id } }, { device_uid: { [Op.ne]: input.device_uid } }],
      },
    });
    const [device] = await Device.upsert(
      { id: newId(), user_id, session_id, ...input, updated_at: new Date() },
      { conflictFields: ["user_id", "device_uid"], fields: ["session_id", "platform", "push_token", "updated_at"] },
    );
    await forgetOldest(tx, user_id);
    const { id, platform, device_uid, created_at } = device;
    return { id, platform, device_uid, created_at: created_at.toISOString() };
  });
}

async function forgetOldest(tx: Tx, userId: string): Promise<void> {
  await tx.query(
    `DELETE FROM user_devices WHERE id IN (
       SELECT id FROM user_devices WHERE user_id = $1 ORDER BY updated_at DESC, id DESC OFFSET $2)`,
    [userId, devicesMax],
  );
}
