import Joi from "joi";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import type { ActionSpec } from "./action-spec.ts";
import { flag, type Infer, id, line, object, optional } from "./fields.ts";
import { type Lobby, lobby, type Session, session } from "./views/game-views.ts";

const lobbyId = id();
const sessionId = id();

export const kindMeaning = "One of the game's `actions`. While `turn` isn't null, one of `turn.allowed`.";

/** An action in a game. The fields besides `kind` depend on the game, which validates them. */
export const gameAction = Joi.object<GameActionInput>({ kind: line(1, 40, "roll").required().description(kindMeaning) })
  .unknown(true)
  .description("`kind` and the fields that it requires, such as `LudoAction` for ludo.");

export interface GameActionInput {
  kind: string;
  [field: string]: unknown;
}

export const actionId = line(1, 64, "a-17").description(
  "Makes retries safe: an action with the same ID is executed once.",
);

const lobbyErrors = ["NOT_FOUND", "LOBBY_NOT_OPEN"] as const satisfies readonly ErrorCode[];

/**
 * Actions on lobbies and games. The payload's `lobby_id` or `session_id` identifies the actor, which validates the action
 * and replies.
 */
export const gameActions = {
  "lobby:join": {
    payload: object({ lobby_id: lobbyId }),
    reply: lobby,
    errors: [...lobbyErrors, "LOBBY_FULL", "BLOCKED", "NOT_A_MEMBER"],
    by: "all users; if the lobby belongs to a room, members of that room",
    summary: "Join a lobby",
    origin: "extension",
  },
  "lobby:ready": {
    payload: object({ lobby_id: lobbyId, ready: optional(flag()) }),
    reply: lobby,
    errors: [...lobbyErrors, "NOT_A_MEMBER"],
    by: "players in the lobby",
    summary: "Mark yourself as ready",
    description: "Send `ready: false` to mark yourself as not ready.",
    origin: "extension",
  },
  "lobby:leave": {
    payload: object({ lobby_id: lobbyId }),
    reply: lobby,
    errors: [...lobbyErrors, "NOT_A_MEMBER"],
    by: "players in the lobby",
    summary: "Leave a lobby",
    description: "If the host leaves, the lobby is cancelled.",
    origin: "extension",
  },
  "lobby:start": {
    payload: object({ lobby_id: lobbyId }),
    reply: lobby,
    errors: [...lobbyErrors, "FORBIDDEN", "NOT_A_MEMBER", "NOT_ENOUGH_PLAYERS", "PLAYERS_NOT_READY"],
    by: "the lobby's host",
    summary: "Start the game",
    description: "Players who have left the lobby's room don't take part.",
    origin: "extension",
  },
  "game:action": {
    payload: object({ session_id: sessionId, action: gameAction, action_id: optional(actionId) }),
    reply: session,
    errors: ["NOT_FOUND", "FORBIDDEN", "NOT_YOUR_TURN", "ILLEGAL_ACTION", "SESSION_FINISHED"],
    by: "players of the game",
    summary: "Take an action in a game",
    origin: "contract",
  },
} as const satisfies Record<string, ActionSpec>;

export type GameInputs = { [A in keyof typeof gameActions]: Infer<(typeof gameActions)[A]["payload"]> };

export type GameReplies = { [A in keyof typeof gameActions]: Infer<(typeof gameActions)[A]["reply"]> };

export type LobbyAction = "lobby:join" | "lobby:ready" | "lobby:leave" | "lobby:start";

/** Commands that only the service or REST sends to lobbies and games. */
export interface GameServiceInputs {
  /** The room was closed, or the lobby has been idle for too long. */
  "lobby:cancel": object;
  /** The user may no longer be in the lobby, or has left. */
  "lobby:expel": { user_id: string };
  /** The game as the caller may see it. */
  "game:view": object;
  /** The game's room was closed. */
  "game:abandon": object;
  /** Only ensures that the game has an actor. */
  "game:tend": object;
}

export interface GameServiceReplies {
  "lobby:cancel": Lobby;
  "lobby:expel": Lobby;
  "game:view": Session;
  "game:abandon": Session;
  "game:tend": object;
}
