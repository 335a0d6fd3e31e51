import type { VoiceActors } from "#shared/contracts/actors.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { service } from "#shared/contracts/principal.ts";
import { keepsVoice } from "#shared/domain/live/evidence/evidence.config.ts";
import { unwrap } from "#shared/kernel/domain-error.ts";
import { type MediaRight, mediaRoomOf } from "./media-server.ts";
import { mintVoiceToken } from "./mint-voice-token.ts";
import { voice } from "./voice.config.ts";
import { notInTheRoom } from "./voice.errors.ts";
import { displayName, recordHolder } from "./voice.queries.ts";

export interface VoiceToken {
  readonly token: string;
  readonly wsUrl: string;
  readonly roomName: string;
  /** Whether what the user says on a seat is kept for a while. */
  readonly voice_evidence: boolean;
}

/**
 * Issues a media token to a user who is in the room, with their current right: to speak only on a seat on which the
 * host hasn't muted them.
 * @throws VOICE_NOT_CONFIGURED, NOT_FOUND, NOT_A_MEMBER, ENGINE_UNAVAILABLE
 */
export async function issueVoiceToken(actors: VoiceActors, caller: UserPrincipal, roomId: string): Promise<VoiceToken> {
  const { wsUrl } = voice();
  await askMember(actors, roomId, caller.userId);
  const name = await displayName(caller.userId);
  // Recorded first and asked then: a change after the reply finds the holder, and a change before it is in the reply.
  await recordHolder(roomId, caller.userId);
  const right = await askMember(actors, roomId, caller.userId);
  const isTold = keepsVoice();
  const token = await mintVoiceToken({ userId: caller.userId, name, roomId, right, isTold });
  return { token, wsUrl, roomName: mediaRoomOf(roomId), voice_evidence: isTold };
}

async function askMember(actors: VoiceActors, roomId: string, userId: string): Promise<MediaRight> {
  const { right } = unwrap(await actors.voice(roomId, service, "voice:right", { user_id: userId }));
  if (right === "none") throw notInTheRoom();
  return right;
}
