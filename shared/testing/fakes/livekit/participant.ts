import type { VideoGrant } from "livekit-server-sdk";
import type { Session } from "./session.ts";

/** A permission in protobuf's JSON encoding, which omits false and empty values. */
export interface FakePermission {
  canSubscribe?: boolean;
  canPublish?: boolean;
  canPublishData?: boolean;
  canPublishSources?: string[];
  hidden?: boolean;
}

export interface FakeParticipant {
  readonly identity: string;
  readonly name: string;
  permission: FakePermission;
  readonly attributes: Readonly<Record<string, string>>;
  /** The IDs of the audio that a simulated participant sends. */
  tracks: readonly string[];
  /** The connection of a real client. Absent for participants whom a test only simulates. */
  session?: Session;
  /** The token that LiveKit refreshes for connected clients: with the current permissions, valid for ten minutes. */
  refreshedToken(): Promise<string>;
}

/**
 * Returns the permissions of a token, with LiveKit's defaults: omitted permissions are granted, except publishing
 * sources and `hidden`.
 */
export function permissionOf(video: VideoGrant): FakePermission {
  return {
    canSubscribe: video.canSubscribe ?? true,
    canPublish: video.canPublish ?? true,
    canPublishData: video.canPublishData ?? video.canPublish ?? true,
    canPublishSources: (video.canPublishSources ?? []).map(String).map((source) => source.toUpperCase()),
    hidden: video.hidden ?? false,
  };
}

/** Returns whether a participant may send from a source, such as `MICROPHONE`. No sources: from all of them. */
export function mayPublish({ canPublish, canPublishSources = [] }: FakePermission, source: string): boolean {
  return canPublish === true && (canPublishSources.length === 0 || canPublishSources.includes(source));
}
