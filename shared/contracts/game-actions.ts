import Joi from "joi";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import type { ActionSpec } from "./action-spec.ts";
import { flag, type Infer, id, line, object, optional } from "./fields.ts";
import { type Lobby, lobby, type Session, session } from "./views/game-views.ts";

const lobbyId = id();
const sessionId = id();

export const kindMeaning = "One of the game's `actions`; while `turn` is not null, one of `turn.allowed`.";

/** One action of a game: the fields beside `kind` are the game's, which checks them. */
export const gameAction = Joi.object<GameActionInput>({ kind: line(1, 40, "roll").required().description(kindMeaning) })
  .unknown(true)
  .description("`kind`, and what that kind needs: `LudoAction` for ludo, and so on.");

export interface GameActionInput {
  kind: string;
  [field: string]: unknown;
}

export const actionId = line(1, 64, "a-17").description("The same id sent again is the same action, taken once.");

const lobbyErrors = ["NOT_FOUND", "LOBBY_NOT_OPEN"] as const satisfies readonly ErrorCode[];

/**
 * What a client may ask of lobbies and games. The payload's `lobby_id` or `session_id` names the actor, which checks and
 * answers.
 */
export const gameActions = {
  "lobby:join": {
    payload: object({ lobby_id: lobbyId }),
    reply: lobby,
    errors: [...lobbyErrors, "LOBBY_FULL", "BLOCKED", "NOT_A_MEMBER"],
    by: "anyone; of a lobby in a room, whoever is in that room",
    summary: "Join a lobby.",
    origin: "extension",
  },
  "lobby:ready": {
    payload: object({ lobby_id: lobbyId, ready: optional(flag()) }),
    reply: lobby,
    errors: [...lobbyErrors, "NOT_A_MEMBER"],
    by: "player in the lobby",
    summary: "Say that you are ready, or with `ready: false` that you are not.",
    origin: "extension",
  },
  "lobby:leave": {
    payload: object({ lobby_id: lobbyId }),
    reply: lobby,
    errors: [...lobbyErrors, "NOT_A_MEMBER"],
    by: "player in the lobby",
    summary: "Leave a lobby; when its host leaves, it is cancelled.",
    origin: "extension",
  },
  "lobby:start": {
    payload: object({ lobby_id: lobbyId }),
    reply: lobby,
    errors: [...lobbyErrors, "FORBIDDEN", "NOT_A_MEMBER", "NOT_ENOUGH_PLAYERS", "PLAYERS_NOT_READY"],
    by: "host of the lobby",
    summary: "Begin the game; who has left the lobby's room meanwhile is not taken along.",
    origin: "extension",
  },
  "game:action": {
    payload: object({ session_id: sessionId, action: gameAction, action_id: optional(actionId) }),
    reply: session,
    errors: ["NOT_FOUND", "FORBIDDEN", "NOT_YOUR_TURN", "ILLEGAL_ACTION", "SESSION_FINISHED"],
    by: "player",
    summary: "Act in a game.",
    origin: "contract",
  },
} as const satisfies Record<string, ActionSpec>;

export type GameInputs = { [A in keyof typeof gameActions]: Infer<(typeof gameActions)[A]["payload"]> };

export type GameReplies = { [A in keyof typeof gameActions]: Infer<(typeof gameActions)[A]["reply"]> };

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
