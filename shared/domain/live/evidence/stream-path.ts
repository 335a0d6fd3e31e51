import { timingSafeEqual } from "node:crypto";
import { keyedHash } from "#shared/domain/identity/sessions/keyed-hash.ts";
import { clock } from "#shared/kernel/clock.ts";
import { isId } from "#shared/kernel/ids.ts";

/** The audio of one seat, as the media server sends it. */
export interface SeatTrack {
  readonly roomId: string;
  readonly userId: string;
  /** The media server's ID of the track. */
  readonly trackId: string;
}

/** How long the media server may take until it connects, milliseconds. */
const validMs = 60_000;
const prefix = "/voice/evidence/";

export const isStreamPath = (path = ""): boolean => path.startsWith(prefix);

const signatureOf = ({ roomId, userId, trackId }: SeatTrack, until: string): Buffer =>
  keyedHash("stream of evidence", roomId, userId, trackId, until);

/** Returns the path to which the media server sends a track. It can't be guessed, and is valid for a minute. */
export function streamPath(track: SeatTrack): string {
  const until = String(clock.now() + validMs);
  const signature = signatureOf(track, until).toString("base64url");
  return prefix + [track.roomId, track.userId, track.trackId, until, signature].join("/");
}

/** Returns the track of a path that `streamPath` made, or undefined if it is another, or has expired. */
export function trackOfPath(path: string): SeatTrack | undefined {
  const [roomId = "", userId = "", trackId = "", until = "", signature = ""] = path.slice(prefix.length).split("/");
  if (!isStreamPath(path) || !isId(roomId) || !isId(userId) || !/^\w{1,64}$/.test(trackId)) return undefined;
  const track = { roomId, userId, trackId };
  const [given, expected] = [Buffer.from(signature, "base64url"), signatureOf(track, until)];
  const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
  return isOurs && Number(until) > clock.now() ? track : undefined;
}
