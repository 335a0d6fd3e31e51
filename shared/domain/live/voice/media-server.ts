import { type ParticipantPermission, ServerError, TrackSource, TrackType } from "livekit-server-sdk";
import type { VoiceRight } from "#shared/contracts/actors.ts";
import { isId } from "#shared/kernel/ids.ts";
import { voice } from "./voice.config.ts";

/** The media right of a user who is in the room. */
export type MediaRight = Exclude<VoiceRight, "none">;

/** Returns the name of a room on the media server. A participant's identity there is the user's id. */
export const mediaRoomOf = (roomId: string): string => `room:${roomId}`;

/** What a participant may send: audio, no video. */
export const sourcesOf = (right: MediaRight): TrackSource[] => (right === "publish" ? [TrackSource.MICROPHONE] : []);

/** Names every permission: the media server treats some that are left out as granted. */
const permissionOf = (right: MediaRight) =>
  ({
    canSubscribe: true,
    canPublish: right === "publish",
    canPublishSources: sourcesOf(right),
    canPublishData: false,
    canUpdateMetadata: false,
    canSubscribeMetrics: false,
    canManageAgentSession: false,
    hidden: false,
    recorder: false,
    agent: false,
  }) satisfies Partial<ParticipantPermission>;

/** A participant of a room's media, and whether they may send. */
export interface MediaParticipant {
  readonly userId: string;
  readonly canPublish: boolean;
  /** Whether they were told that what they say is kept: their token says so. */
  readonly isTold: boolean;
  /** The IDs of the audio that they send. */
  readonly tracks: readonly string[];
}

/** The attribute of participants who were told that what they say is kept. They can't change it. */
export const toldAttribute = { voice_evidence: "told" };

/** The kind of human participants. Recorders, agents and the like have others; our tokens never create those. */
const personKind = 0;

/** Returns the participants of a room's media; none if the media server doesn't know the room. */
export async function listParticipants(roomId: string): Promise<MediaParticipant[]> {
  const listed = await unlessUnknown(voice().rooms.listParticipants(mediaRoomOf(roomId)));
  return (listed ?? [])
    .filter(({ identity, kind }) => kind === personKind && isId(identity))
    .map(({ identity, permission, attributes, tracks }) => ({
      userId: identity,
      canPublish: permission?.canPublish ?? true,
      isTold: attributes.voice_evidence === toldAttribute.voice_evidence,
      tracks: tracks.filter(({ type }) => type === TrackType.AUDIO).map(({ sid }) => sid),
    }));
}

/** Sets what a participant may do from now on. The media server stops tracks that they may no longer send. */
export async function grantMedia(roomId: string, userId: string, right: MediaRight): Promise<void> {
  await unlessUnknown(
    voice().rooms.updateParticipant(mediaRoomOf(roomId), userId, { permission: permissionOf(right) }),
  );
}

/** Removes a participant from a room's media. If the server can, it also rejects their tokens from before `sinceMs`. */
export async function removeFromMedia(roomId: string, userId: string, sinceMs: number): Promise<void> {
  const revokeTokenTs = BigInt(Math.floor(sinceMs / 1000));
  await unlessUnknown(voice().rooms.removeParticipant(mediaRoomOf(roomId), userId, { revokeTokenTs }));
}

/** Ends a room's media for all participants. */
export async function deleteMediaRoom(roomId: string): Promise<void> {
  await unlessUnknown(voice().rooms.deleteRoom(mediaRoomOf(roomId)));
}

/** Returns undefined for a room or participant that the media server doesn't know: there is nothing to revoke. */
async function unlessUnknown<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ServerError && error.code === "not_found") return undefined;
    throw error;
  }
}
