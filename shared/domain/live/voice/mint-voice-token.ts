import { AccessToken } from "livekit-server-sdk";
import { type MediaRight, mediaRoomOf, sourcesOf, toldAttribute } from "./media-server.ts";
import { voice } from "./voice.config.ts";

/** Time within which a client must connect with a token, in seconds. An established connection outlives its token. */
export const voiceTokenSeconds = 120;

export interface VoiceTokenSubject {
  readonly userId: string;
  /** Shown to the other participants. */
  readonly name: string;
  readonly roomId: string;
  readonly right: MediaRight;
  /** Whether the user is told with it that what they say is kept. No one else is recorded. */
  readonly isTold: boolean;
}

/**
 * Signs a token for one user and one room. Every grant is named, since the media server treats some that are left out
 * as granted. Doesn't authorize: `issueVoiceToken` decides who gets a token.
 */
export function mintVoiceToken({ userId, name, roomId, right, isTold }: VoiceTokenSubject): Promise<string> {
  const { apiKey, apiSecret } = voice();
  const token = new AccessToken(apiKey, apiSecret, {
    identity: userId,
    name,
    ttl: voiceTokenSeconds,
    ...(isTold && { attributes: toldAttribute }),
  });
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
