import type { VoiceActors } from "#shared/contracts/actors.ts";
import { service } from "#shared/contracts/principal.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { listParticipants, type MediaParticipant } from "./media-server.ts";
import { recordSeats } from "./record-seats.ts";
import { rightNow, roomIsGone } from "./sync-voice-right.ts";
import { endWatchIfOver, holdersAmong, markWrong, noteAbsent, prolongWatch } from "./voice.queries.ts";

/**
 * Compares the participants on the media server with the users who may be there, and schedules corrections. It finds
 * users who connect with an outdated token, from before they lost their seat, left, or were kicked: no change of the
 * room reveals them. Returns whether there is anything to correct. Never throws if the actor or the media server fails,
 * because the next check follows soon.
 */
export async function watchVoiceRoom(actors: VoiceActors, roomId: string): Promise<boolean> {
  try {
    const people = await listParticipants(roomId);
    const wrong = await findWrong(actors, roomId, people);
    if (wrong.length > 0) await markWrong(roomId, wrong);
    await recordSeats(roomId, people);
    metrics.voiceWatches.inc({ outcome: "done" });
    return wrong.length > 0;
  } catch (error) {
    metrics.voiceWatches.inc({ outcome: "failed" });
    logger.warn({ err: error, roomId }, "a room's media could not be looked at");
    return false;
  }
}

async function findWrong(actors: VoiceActors, roomId: string, people: readonly MediaParticipant[]): Promise<string[]> {
  if (people.length === 0) {
    await endWatchIfOver(roomId);
    return [];
  }
  await prolongWatch(roomId);
  const userIds = people.map(({ userId }) => userId);
  const holders = await holdersAmong(roomId, userIds);
  const known = new Map(holders.map((holder) => [holder.user_id, holder.media_right]));
  const present = await presentAmong(actors, roomId, userIds);
  const absent = userIds.filter((userId) => !present.has(userId));
  const gone = absent.length > 0 || holders.some((holder) => holder.absent);
  const tooLong = new Set(gone ? await noteAbsent(roomId, { userIds, absent }) : []);
  const wrong = await Promise.all(
    people.map(async ({ userId, canPublish }) => {
      const last = known.get(userId);
      if (last === undefined) return true; // Put out, or never let in.
      if (last === null) return false; // Is being carried over.
      if (!present.has(userId)) return tooLong.has(userId);
      return canPublish ? (await rightNow(actors, roomId, userId)) !== "publish" : last === "publish";
    }),
  );
  return userIds.filter((_userId, index) => wrong[index]);
}

async function presentAmong(actors: VoiceActors, roomId: string, userIds: string[]): Promise<ReadonlySet<string>> {
  const answer = await actors.voice(roomId, service, "room:present", { user_ids: userIds });
  if (answer.ok) return new Set(answer.value.present);
  if (roomIsGone(answer.code)) return new Set();
  throw DomainError.from(answer);
}
