import type { EgressInfo } from "livekit-server-sdk";
import { evidenceAddress, keepsVoice } from "#shared/domain/live/evidence/evidence.config.ts";
import { isStreamPath, streamPath } from "#shared/domain/live/evidence/stream-path.ts";
import { clock } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { type MediaParticipant, mediaRoomOf } from "./media-server.ts";
import { voice } from "./voice.config.ts";

/** How many tracks of one participant are recorded. Clients send one. */
const tracksMax = 2;

/** When this process began to record a track, by its ID: one that fails at once isn't begun all the time. */
const begun = new Map<string, number>();

/**
 * Makes the media server send what is said on the seats of a room, and nothing else: compares the tracks of those who
 * may speak, and were told, with the recordings that run, so that none is left without its seat, whatever process has
 * begun it. Does nothing if audio isn't kept. Never throws if the media server fails, because the next look follows.
 */
export async function recordSeats(roomId: string, people: readonly MediaParticipant[]): Promise<void> {
  if (!keepsVoice()) return;
  try {
    const wanted = new Map(
      people
        .filter(({ canPublish, isTold }) => canPublish && isTold)
        .flatMap(({ userId, tracks }) => tracks.slice(0, tracksMax).map((trackId) => [trackId, userId] as const)),
    );
    const surplus: string[] = [];
    for (const { egressId, trackId } of await listRecordings(roomId)) {
      // Two processes may have begun the same.
      const isFirst = wanted.delete(trackId);
      if (!isFirst) surplus.push(egressId);
    }
    await Promise.all([
      ...surplus.map((egressId) => voice().egress.stopEgress(egressId)),
      ...[...wanted].map(([trackId, userId]) => record(roomId, userId, trackId)),
    ]);
  } catch (error) {
    metrics.voiceEvidence.inc({ outcome: "failed" });
    logger.warn({ err: error, roomId }, "the seats of a room are not recorded as they should be");
  }
}

/** Returns the recordings of a room that run, or are about to: those of ours, not what an operator records. */
async function listRecordings(roomId: string): Promise<{ egressId: string; trackId: string }[]> {
  const listed: EgressInfo[] = await voice().egress.listEgress({ roomName: mediaRoomOf(roomId), active: true });
  return listed.flatMap(({ egressId, request }) =>
    request.case === "track" && isOurs(request.value.output) ? [{ egressId, trackId: request.value.trackId }] : [],
  );
}

type TrackOutput = Extract<EgressInfo["request"], { case: "track" }>["value"]["output"];

const isOurs = ({ case: kind, value }: TrackOutput): boolean =>
  kind === "websocketUrl" && isStreamPath(URL.parse(value)?.pathname);

async function record(roomId: string, userId: string, trackId: string): Promise<void> {
  const { egress, timings } = voice();
  const before = clock.now() - timings.recordAgainMs;
  for (const [id, at] of begun) if (at <= before) begun.delete(id);
  if (begun.has(trackId)) return;
  begun.set(trackId, clock.now());
  const address = evidenceAddress() + streamPath({ roomId, userId, trackId });
  await egress.startTrackEgress(mediaRoomOf(roomId), address, trackId);
}
