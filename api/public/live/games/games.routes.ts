import type { Actors } from "#shared/contracts/actors.ts";
import { listOf, pageOf } from "#shared/contracts/fields.ts";
import { gameActions, type LobbyAction, lobbyActions } from "#shared/contracts/game-actions.ts";
import * as views from "#shared/contracts/views.ts";
import { createLobby } from "#shared/domain/live/games/create-lobby.ts";
import {
  gameProof,
  getLobby,
  getSession,
  listGameTypes,
  listLobbies,
  listPlayedGames,
} from "#shared/domain/live/games/games.queries.ts";
import { unwrap } from "#shared/kernel/domain-error.ts";
import type { ApiDeps } from "../../../deps.ts";
import { actionEntry } from "../../../http/action-entry.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import * as schemas from "./games.schemas.ts";

const route = routeOf("Games", "user");

export const gamesRoutes = ({ actors }: ApiDeps): Route[] => [
  route({
    id: "listGameTypes",
    method: "get",
    path: "/games/types",
    summary: "List game types",
    description: "Includes the rules of each game, its number of players, and its actions.",
    response: listOf(views.gameType),
    handler: async () => listGameTypes(),
  }),
  ...lobbyRoutes(actors),
  route({
    id: "getGameSession",
    method: "get",
    path: "/games/sessions/:id",
    blocks: "unaffected",
    summary: "Get a game",
    description:
      "Players see the public state and their own. If the game belongs to a room, members of the room see the public state while the game is active. A finished game is visible only to its players.",
    params: schemas.sessionParams,
    response: views.session,
    handler: ({ caller, params }) => getSession(actors, caller, params.id),
  }),
  route({
    id: "takeGameAction",
    method: "post",
    path: "/games/sessions/:id/action",
    blocks: "unaffected",
    summary: "Take an action",
    description:
      "The body is the action: its `kind` and the fields that the kind requires, such as `LudoAction` for ludo. Allowed for players of the game.",
    params: schemas.sessionParams,
    body: schemas.takeActionBody,
    response: views.session,
    errors: gameActions["game:action"].errors,
    handler: async ({ caller, params, body: { action_id, ...action } }) => {
      const input = { action, ...(action_id !== undefined && { action_id }) };
      return unwrap(await actors.game(params.id, caller, "game:action", input));
    },
  }),
  route({
    id: "getGameProof",
    method: "get",
    path: "/games/sessions/:id/proof",
    blocks: "unaffected",
    summary: "Get the fairness proof",
    description:
      "Returns the seed of a finished game and every number drawn from it. Allowed for players of the game. To verify draw number `index` out of `n` (the last word of `purpose`), take the first four bytes, big endian, of HMAC-SHA256 over `index:attempt` with the seed as the key, modulo `n`. `attempt` starts at 0 and increases while those bytes are at or above the largest multiple of `n`. [This script](/docs/assets/check-game.js) does so for all draws: save it as `check-game.mjs` and pipe the response into `node check-game.mjs`.",
    params: schemas.sessionParams,
    response: views.gameProof,
    errors: ["CONFLICT"],
    extension: true,
    handler: ({ caller, params }) => gameProof(params.id, caller.userId),
  }),
  route({
    id: "listPlayedGames",
    method: "get",
    path: "/games/history",
    summary: "List played games",
    description: "The games that you have played, newest first, with the result of each player.",
    query: schemas.historyQuery,
    response: pageOf(views.playedGame),
    extension: true,
    handler: ({ caller, query }) => listPlayedGames(caller.userId, query),
  }),
];

const lobbyRoutes = (actors: Actors): Route[] => [
  route({
    id: "createLobby",
    method: "post",
    path: "/games/lobbies",
    blocks: "unaffected",
    summary: "Create a lobby",
    description:
      "You host the lobby, join it, and count as ready. You can host up to 5 lobbies and games at once. A lobby is cancelled after 30 minutes without activity.",
    body: schemas.createLobbyBody,
    status: 201,
    response: views.lobby,
    errors: ["NOT_FOUND", "NOT_A_MEMBER", "ROOM_CLOSED", "CONFLICT"],
    rateLimit: { points: 20, seconds: 60, by: "user" },
    handler: ({ caller, body }) => createLobby(actors, caller, body),
  }),
  route({
    id: "listLobbies",
    method: "get",
    path: "/games/lobbies",
    blocks: "unaffected",
    summary: "List lobbies of a room",
    description: "The lobbies that are open or in a game, newest first, up to 50. You must be in the room.",
    query: schemas.lobbiesQuery,
    response: listOf(views.lobby),
    errors: ["NOT_FOUND", "NOT_A_MEMBER", "ROOM_CLOSED"],
    extension: true,
    handler: ({ caller, query }) => listLobbies(actors, caller, query.room_id),
  }),
  route({
    id: "getLobby",
    method: "get",
    path: "/games/lobbies/:id",
    blocks: "content",
    summary: "Get a lobby",
    description: "If the lobby belongs to a room, only its players and members of the room can see it.",
    params: schemas.lobbyParams,
    response: views.lobby,
    extension: true,
    handler: ({ caller, params }) => getLobby(actors, caller, params.id),
  }),
  lobbyRoute(actors, "lobby:join", { id: "joinLobby", path: "/games/lobbies/:id/join" }),
  lobbyRoute(actors, "lobby:ready", { id: "setLobbyReady", path: "/games/lobbies/:id/ready" }),
  lobbyRoute(actors, "lobby:start", { id: "startGame", path: "/games/lobbies/:id/start" }),
  lobbyRoute(actors, "lobby:leave", { id: "leaveLobby", path: "/games/lobbies/:id/leave", extension: true }),
];

/** Makes the REST form of a lobby's action, with the lobby in the path. */
const lobbyRoute = (
  actors: Actors,
  action: LobbyAction,
  { id, ...entry }: Required<Pick<Route, "id">> & Pick<Route, "path" | "extension">,
): Route =>
  route({
    ...entry,
    ...actionEntry(id, lobbyActions[action], ["lobby_id"]),
    method: "post",
    params: schemas.lobbyParams,
    handler: async ({ caller, params, body }) => unwrap(await actors.lobby(params.id, caller, action, body)),
  });
