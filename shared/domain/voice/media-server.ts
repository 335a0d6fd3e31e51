import { type ParticipantPermission, ServerError, TrackSource } from "livekit-server-sdk";
import type { VoiceRight } from "#shared/contracts/actors.ts";
import { isId } from "#shared/kernel/ids.ts";
import { voice } from "./voice.config.ts";

/** A right that somebody who is in the room has. */
export type MediaRight = Exclude<VoiceRight, "none">;

/** The name of a room on the media server. A participant's identity there is the user's id. */
export const mediaRoomOf = (roomId: string): string => `room:${roomId}`;

/** What may be sent: a voice, no picture. */
export const sourcesOf = (right: MediaRight): TrackSource[] => (right === "publish" ? [TrackSource.MICROPHONE] : []);

/** Every permission named: the media server takes some that are left out for given. */
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

/** Who is connected to a room's media, and whether he may send. */
export interface MediaParticipant {
  readonly userId: string;
  readonly canPublish: boolean;
}

/** People have this kind; recorders, agents and the like, which no token of ours makes, have others. */
const personKind = 0;

/** The people in a room's media; none when the media server does not know the room. */
export async function listParticipants(roomId: string): Promise<MediaParticipant[]> {
  const listed = await unlessUnknown(voice().rooms.listParticipants(mediaRoomOf(roomId)));
  return (listed ?? [])
    .filter(({ identity, kind }) => kind === personKind && isId(identity))
    .map(({ identity, permission }) => ({ userId: identity, canPublish: permission?.canPublish ?? true }));
}

/** Tells the media server what somebody may do from now on; what he may no longer send is cut off by it. */
export async function grantMedia(roomId: string, userId: string, right: MediaRight): Promise<void> {
  await unlessUnknown(
    voice().rooms.updateParticipant(mediaRoomOf(roomId), userId, { permission: permissionOf(right) }),
  );
}

/** Puts somebody out of a room's media. A server that can also refuses his tokens from before `sinceMs`. */
export async function removeFromMedia(roomId: string, userId: string, sinceMs: number): Promise<void> {
  const revokeTokenTs = BigInt(Math.floor(sinceMs / 1000));
  await unlessUnknown(voice().rooms.removeParticipant(mediaRoomOf(roomId), userId, { revokeTokenTs }));
}

/** Ends a room's media for everybody. */
export async function deleteMediaRoom(roomId: string): Promise<void> {
  await unlessUnknown(voice().rooms.deleteRoom(mediaRoomOf(roomId)));
}

/** A room or participant that the media server does not know has nothing to be taken from: undefined. */
async function unlessUnknown<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ServerError && error.code === "not_found") return undefined;
    throw error;
  }
}
