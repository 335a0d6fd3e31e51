import Joi from "joi";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import type { ActionSpec } from "./action-spec.ts";
import { exampleIds } from "./examples.ts";
import { describedBy, flag, id, line, object, optional } from "./fields.ts";
import { actionVariants } from "./games/games.ts";
import { lobby, session } from "./views/game-views.ts";

const lobbyId = id(exampleIds.lobby);
const sessionId = id(exampleIds.gameSession);

export const kindMeaning = "One of the game's `actions`. While `turn` isn't null, one of `turn.allowed`.";

export const actionId = line(1, 64, "a-17").description(
  "Makes retries safe: an action with the same ID is executed once. In events, it may be in `action` or beside it.",
);

/** An action in a game. The game's actor checks its kind, and the fields that the kind has. */
export const gameAction = describedBy(
  Joi.object<GameActionInput>({ kind: line(1, 40, "roll").required(), action_id: actionId }).unknown(true),
  actionVariants("Action").meta({ name: "GameAction" }).description(kindMeaning),
);

export interface GameActionInput {
  kind: string;
  action_id?: string;
  [field: string]: unknown;
}

const lobbyErrors = ["NOT_FOUND", "LOBBY_NOT_OPEN"] as const satisfies readonly ErrorCode[];

/** Actions on lobbies. The payload's `lobby_id` identifies the actor. */
export const lobbyActions = {
  "lobby:join": {
    payload: object({ lobby_id: lobbyId }),
    reply: lobby,
    blocks: "shared",
    errors: [...lobbyErrors, "LOBBY_FULL", "NOT_A_MEMBER"],
    by: "all users or, if the lobby belongs to a room, its members",
    summary: "Join a lobby",
    origin: "extension",
  },
  "lobby:ready": {
    payload: object({ lobby_id: lobbyId, ready: optional(flag()) }),
    reply: lobby,
    blocks: "unaffected",
    errors: [...lobbyErrors, "NOT_A_MEMBER"],
    by: "players in the lobby",
    summary: "Mark yourself as ready",
    description: "Send `ready: false` to mark yourself as not ready.",
    origin: "extension",
  },
  "lobby:leave": {
    payload: object({ lobby_id: lobbyId }),
    reply: lobby,
    blocks: "unaffected",
    errors: [...lobbyErrors, "NOT_A_MEMBER"],
    by: "players in the lobby",
    summary: "Leave a lobby",
    description: "If the host leaves, the lobby is cancelled.",
    origin: "extension",
  },
  "lobby:start": {
    payload: object({ lobby_id: lobbyId }),
    reply: lobby,
    blocks: "unaffected",
    errors: [...lobbyErrors, "FORBIDDEN", "NOT_A_MEMBER", "NOT_ENOUGH_PLAYERS", "PLAYERS_NOT_READY", "GAME_FAILED"],
    by: "the lobby's host",
    summary: "Start the game",
    description: "Players who have left the lobby's room don't take part.",
    origin: "extension",
  },
} as const satisfies Record<string, ActionSpec>;

export type LobbyAction = keyof typeof lobbyActions;

/** Actions on games. The payload's `session_id` identifies the actor. */
export const gameActions = {
  "game:action": {
    payload: object({ session_id: sessionId, action: gameAction, action_id: optional(actionId) }),
    reply: session,
    blocks: "unaffected",
    errors: ["NOT_FOUND", "FORBIDDEN", "NOT_YOUR_TURN", "ILLEGAL_ACTION", "SESSION_FINISHED", "GAME_FAILED"],
    by: "players of the game",
    summary: "Take an action in a game",
    origin: "contract",
  },
} as const satisfies Record<string, ActionSpec>;
