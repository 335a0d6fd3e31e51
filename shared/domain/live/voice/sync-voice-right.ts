import type { VoiceActors, VoiceRight } from "#shared/contracts/actors.ts";
import { service } from "#shared/contracts/principal.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { grantMedia, removeFromMedia } from "./media-server.ts";
import { voice } from "./voice.config.ts";
import { type DueGrant, dropGrant, postponeGrant, settleGrant } from "./voice.queries.ts";

const firstPauseMs = 250;
/** Errors that mean that the room no longer exists, so that no one may be in its media. */
export const roomIsGone = (code: ErrorCode): boolean => code === "NOT_FOUND" || code === "ROOM_CLOSED";

/** Returns what a user may do with a room's media now, according to its actor. @throws ENGINE_UNAVAILABLE */
export async function rightNow(actors: VoiceActors, roomId: string, userId: string): Promise<VoiceRight> {
  const answer = await actors.voice(roomId, service, "voice:right", { user_id: userId });
  if (answer.ok) return answer.value.right;
  if (roomIsGone(answer.code)) return "none";
  throw DomainError.from(answer);
}

/**
 * Makes one attempt to carry a leased right to the media server: asks the room's actor what the user may do and sets
 * it, or removes the user if they may do nothing. A failed attempt is retried with growing pauses, without limit. Never
 * throws for a failure of the actor or the media server.
 */
export async function syncVoiceRight(actors: VoiceActors, grant: DueGrant): Promise<void> {
  const { room_id: roomId, user_id: userId } = grant;
  const askedMs = clock.now();
  try {
    const right = await rightNow(actors, roomId, userId);
    if (right === "none") await removeFromMedia(roomId, userId, askedMs);
    else await grantMedia(roomId, userId, right);
    await (right === "none" ? dropGrant(grant) : settleGrant(grant, right));
    metrics.voiceSyncs.inc({ outcome: "done" });
    metrics.voiceSyncLag.observe(Math.max(0, clock.now() - Date.parse(grant.changed_at)) / 1000);
  } catch (error) {
    metrics.voiceSyncs.inc({ outcome: "failed" });
    logger.warn({ err: error, roomId, userId, attempts: grant.attempts + 1 }, "voice right will be carried over again");
    await postponeGrant(grant, pauseAfter(grant.attempts));
  }
}

const pauseAfter = (attempts: number): number =>
  Math.min(firstPauseMs * 2 ** Math.min(attempts, 20), voice().timings.retryMaxMs);
