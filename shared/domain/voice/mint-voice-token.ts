import { AccessToken } from "livekit-server-sdk";
import { type MediaRight, mediaRoomOf, sourcesOf } from "./media-server.ts";
import { voice } from "./voice.config.ts";

/** How long a token may be used to connect, seconds. It does not end a connection that was made with it. */
export const voiceTokenSeconds = 120;

export interface VoiceTokenSubject {
  readonly userId: string;
  /** Shown to the others in the room. */
  readonly name: string;
  readonly roomId: string;
  readonly right: MediaRight;
}

/**
 * Signs a token for one person and one room. Every grant is named, since the media server takes some that are left out for
 * given. It gives nothing away by itself: `issueVoiceToken` decides who gets one.
 */
export function mintVoiceToken({ userId, name, roomId, right }: VoiceTokenSubject): Promise<string> {
  const { apiKey, apiSecret } = voice();
  const token = new AccessToken(apiKey, apiSecret, { identity: userId, name, ttl: voiceTokenSeconds });
  token.addGrant({
    room: mediaRoomOf(roomId),
    roomJoin: true,
    canSubscribe: true,
    canPublish: right === "publish",
    canPublishSources: sourcesOf(right),
    canPublishData: false,
    canUpdateOwnMetadata: false,
    canSubscribeMetrics: false,
    canManageAgentSession: false,
    hidden: false,
    recorder: false,
    agent: false,
    roomAdmin: false,
    roomCreate: false,
    roomList: false,
    roomRecord: false,
    ingressAdmin: false,
  });
  return token.toJwt();
}
