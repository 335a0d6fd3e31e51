import type { ActorKind } from "#shared/contracts/actors.ts";
import { sessionsToRestore } from "#shared/domain/live/games/session-state.ts";
import { roomsToRestore } from "#shared/domain/live/rooms/room-state.ts";
import type { AnyActorRoom } from "./core/any-actor-room.ts";
import type { ReplyAfterEnd } from "./core/directory.ts";
import { replyOfEndedGame } from "./rooms/game/ended-game.ts";
import { GameRoom } from "./rooms/game/game.room.ts";
import { LobbyRoom } from "./rooms/game/lobby.room.ts";
import { VoiceRoom } from "./rooms/voice/voice.room.ts";

interface Kind<K extends ActorKind> {
  readonly room: new () => AnyActorRoom & { readonly kind: K };
  /** IDs of actors to create again after a start: those that were live when their process died. */
  readonly idsToRestore?: () => Promise<readonly string[]>;
  readonly replyAfterEnd?: ReplyAfterEnd;
}

/** The kinds of actors. Their actions are listed in `shared/contracts/actors.ts`. */
export const actorKinds: { readonly [K in ActorKind]: Kind<K> } = {
  // A room must be restored so that its seats are freed after the grace period.
  voice_room: { room: VoiceRoom, idsToRestore: roomsToRestore },
  game_lobby: { room: LobbyRoom },
  // A game must be restored because its turns have deadlines.
  game_session: { room: GameRoom, idsToRestore: sessionsToRestore, replyAfterEnd: replyOfEndedGame },
};
