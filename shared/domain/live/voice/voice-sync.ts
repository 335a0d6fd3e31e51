import { defineJob } from "#shared/db/jobs.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { keepsVoice } from "#shared/domain/live/evidence/evidence.config.ts";
import { voiceConfigured } from "./voice.config.ts";
import { forgetHolders, markChanged } from "./voice.queries.ts";
import { wakeVoiceWorker } from "./voice-worker.ts";

export { voiceConfigured };

/** Deletes a closed room on the media server. Retried for about a day; the watch removes participants who come back. */
export const closeMediaRoom = defineJob<{ room_id: string }>("voice.close", {
  retries: 10_000,
  retryMaxSeconds: 10,
  timeoutSeconds: 10,
});

/**
 * Step: marks that the media rights of these users may change with this transaction: by a seat, a mute, or a
 * membership. After the commit, a worker asks the actor and updates the media server until it succeeds. Costs nothing
 * for users who never had a token. Does nothing if the service has no voice.
 */
export async function queueVoiceSync(tx: Tx, roomId: string, userIds: readonly string[]): Promise<void> {
  if (!voiceConfigured() || userIds.length === 0) return;
  await markChanged(tx, roomId, userIds);
  tx.afterCommit(wakeVoiceWorker);
}

/** Step: marks that a room's media must end for all participants, in the transaction that closes the room. */
export async function queueVoiceClose(tx: Tx, roomId: string): Promise<void> {
  if (!voiceConfigured()) return;
  await forgetHolders(tx, roomId);
  await tx.enqueue(closeMediaRoom, { room_id: roomId });
  if (keepsVoice()) await tx.signal("voice.room_closed", { room_id: roomId });
}
