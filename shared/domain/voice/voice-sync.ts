import { defineJob } from "#shared/db/jobs.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { voiceConfigured } from "./voice.config.ts";
import { forgetHolders, markChanged } from "./voice.queries.ts";
import { wakeVoiceWorker } from "./voice-worker.ts";

export { voiceConfigured };

/** Deletes a closed room on the media server. Tried for about a day; whoever comes back is put out by the watch. */
export const closeMediaRoom = defineJob<{ room_id: string }>("voice.close", {
  retries: 10_000,
  retryMaxSeconds: 10,
  timeoutSeconds: 10,
});

/**
 * Says, in the transaction of the change, that what these people may do with a room's media may be another thing after it:
 * a seat, a mute, a membership. After the commit the actor is asked and the media server told, until that has been done.
 * Whoever never had a token costs nothing. Does nothing when the service has no voice.
 */
export async function queueVoiceSync(tx: Tx, roomId: string, userIds: readonly string[]): Promise<void> {
  if (!voiceConfigured() || userIds.length === 0) return;
  await markChanged(tx, roomId, userIds);
  tx.afterCommit(wakeVoiceWorker);
}

/** Says, in the transaction that closes a room, that its media is to end for everybody. */
export async function queueVoiceClose(tx: Tx, roomId: string): Promise<void> {
  if (!voiceConfigured()) return;
  await forgetHolders(tx, roomId);
  await tx.enqueue(closeMediaRoom, { room_id: roomId });
}
