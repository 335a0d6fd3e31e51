import Joi from "joi";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { flag, id, input, line } from "./fields.ts";
import { type Lobby, lobby, type Session, session } from "./views/game-views.ts";

const lobbyId = id().required();
const sessionId = id().required();

export const kindMeaning = "One of the game's `actions`; while `turn` is not null, one of `turn.allowed`.";

/** One action of a game: its members beside `kind` are the game's, which checks them. */
export const gameAction = Joi.object<GameActionInput>({
  kind: line(1, 40, "roll").required().description(kindMeaning),
})
  .unknown(true)
  .description("`kind`, and what that kind needs: `LudoAction` for ludo, and so on.");

export interface GameActionInput {
  kind: string;
  [member: string]: unknown;
}

export const actionId = line(1, 64, "a-17").description("The same id sent again is the same action, taken once.");

const lobbyErrors = ["NOT_FOUND", "LOBBY_NOT_OPEN"] as const satisfies readonly ErrorCode[];

/**
 * What a client may ask of lobbies and games. The payload's `lobby_id` or `session_id` names the actor, which checks and
 * answers.
 */
export const gameActions = {
  "lobby:join": {
    payload: input({ lobby_id: lobbyId }),
    reply: lobby,
    errors: [...lobbyErrors, "LOBBY_FULL", "BLOCKED", "NOT_A_MEMBER"],
    by: "anyone; of a lobby in a room, whoever is in that room",
    summary: "Join a lobby.",
    origin: "extension",
  },
  "lobby:ready": {
    payload: input({ lobby_id: lobbyId, ready: flag() }),
    reply: lobby,
    errors: [...lobbyErrors, "NOT_A_MEMBER"],
    by: "player in the lobby",
    summary: "Say that you are ready, or with `ready: false` that you are not.",
    origin: "extension",
  },
  "lobby:leave": {
    payload: input({ lobby_id: lobbyId }),
    reply: lobby,
    errors: [...lobbyErrors, "NOT_A_MEMBER"],
    by: "player in the lobby",
    summary: "Leave a lobby; when its host leaves, it is cancelled.",
    origin: "extension",
  },
  "lobby:start": {
    payload: input({ lobby_id: lobbyId }),
    reply: lobby,
    errors: [...lobbyErrors, "FORBIDDEN", "NOT_A_MEMBER", "NOT_ENOUGH_PLAYERS", "PLAYERS_NOT_READY"],
    by: "host of the lobby",
    summary: "Begin the game; who has left the lobby's room meanwhile is not taken along.",
    origin: "extension",
  },
  "game:action": {
    payload: input({ session_id: sessionId, action: gameAction.required(), action_id: actionId }),
    reply: session,
    errors: ["NOT_FOUND", "FORBIDDEN", "NOT_YOUR_TURN", "ILLEGAL_ACTION", "SESSION_FINISHED"],
    by: "player",
    summary: "Act in a game.",
    origin: "contract",
  },
} as const;

export interface GameInputs {
  "lobby:join": { lobby_id: string };
  "lobby:ready": { lobby_id: string; ready?: boolean };
  "lobby:leave": { lobby_id: string };
  "lobby:start": { lobby_id: string };
  "game:action": { session_id: string; action: GameActionInput; action_id?: string };
}

export interface GameReplies {
  "lobby:join": Lobby;
  "lobby:ready": Lobby;
  "lobby:leave": Lobby;
  "lobby:start": Lobby;
  "game:action": Session;
}

export type LobbyAction = "lobby:join" | "lobby:ready" | "lobby:leave" | "lobby:start";

/** What the service, or REST, asks of lobbies and games beside what clients ask. */
export interface GameServiceInputs {
  /** The room is closed, or nobody has touched the lobby for long. */
  "lobby:cancel": object;
  /** Somebody may be in it no more, or is gone. */
  "lobby:expel": { user_id: string };
  /** The game as the caller may see it. */
  "game:view": object;
  /** The room that the game belongs to is closed. */
  "game:abandon": object;
  /** That the game has an actor is all that is wanted. */
  "game:tend": object;
}

export interface GameServiceReplies {
  "lobby:cancel": Lobby;
  "lobby:expel": Lobby;
  "game:view": Session;
  "game:abandon": Session;
  "game:tend": object;
}
