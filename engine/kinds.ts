import type { ActorKind } from "#shared/contracts/actors.ts";
import { sessionsToRestore } from "#shared/domain/games/session-state.ts";
import { roomsToRestore } from "#shared/domain/rooms/room-state.ts";
import type { AnyActorRoom } from "./core/actor-room.ts";
import type { ReplyAfterEnd } from "./core/directory.ts";
import { replyOfEndedGame } from "./rooms/game/ended-game.ts";
import { GameRoom } from "./rooms/game/game.room.ts";
import { LobbyRoom } from "./rooms/game/lobby.room.ts";
import { VoiceRoom } from "./rooms/voice/voice.room.ts";

interface Kind<K extends ActorKind> {
  readonly room: new () => AnyActorRoom & { readonly kind: K };
  /** Which actors must be made again after a start: they were live when theirs ended without a word. */
  readonly idsToRestore?: () => Promise<readonly string[]>;
  readonly replyAfterEnd?: ReplyAfterEnd;
}

/** The kinds of actors. What can be asked of each is in `shared/contracts/actors.ts`. */
export const actorKinds: { readonly [K in ActorKind]: Kind<K> } = {
  // The seats of a room are kept for the grace and then freed.
  voice_room: { room: VoiceRoom, idsToRestore: roomsToRestore },
  game_lobby: { room: LobbyRoom },
  // The clock of a game runs on.
  game_session: { room: GameRoom, idsToRestore: sessionsToRestore, replyAfterEnd: replyOfEndedGame },
};
