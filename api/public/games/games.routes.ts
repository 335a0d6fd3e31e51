import type { ActionSpec } from "#shared/contracts/actions.ts";
import { listOf, pageOf, without } from "#shared/contracts/fields.ts";
import { gameActions, type LobbyAction, lobbyActions } from "#shared/contracts/game-actions.ts";
import * as views from "#shared/contracts/views.ts";
import { gameProof, listGameTypes, listPlayedGames } from "#shared/domain/games/games.queries.ts";
import type { PageQuery } from "#shared/kernel/page.ts";
import type { ApiDeps } from "../../deps.ts";
import { type Route, route } from "../../http/route.ts";
import { askLobby, getLobbies, getLobby, getSession, postAction, postLobby } from "./games.handlers.ts";
import * as schemas from "./games.schemas.ts";

const user = { tag: "Games", auth: "user" } as const;

/** An action of a lobby by REST: the same as the event of its name. */
function lobbyRoute(deps: ApiDeps, action: LobbyAction, extension?: true): Route {
  const { payload, errors, summary, by, description = "" }: ActionSpec = lobbyActions[action];
  const body = without(payload, "lobby_id");
  return route<schemas.IdParams>({
    ...user,
    method: "post",
    path: `/games/lobbies/:id/${action.slice("lobby:".length)}`,
    summary,
    description: `${description} Allowed for ${by}.`.trim(),
    params: schemas.idParams,
    ...(body && { body }),
    response: views.lobby,
    errors: [...errors, "ENGINE_UNAVAILABLE"],
    ...(extension && { extension }),
    handler: (call) => askLobby(deps, call, action),
  });
}

const lobbyRoutes = (deps: ApiDeps): Route[] => [
  route<object, object, schemas.LobbyBody>({
    ...user,
    method: "post",
    path: "/games/lobbies",
    summary: "Open a lobby; you host it.",
    body: schemas.lobbyBody,
    status: 201,
    response: views.lobby,
    errors: ["NOT_FOUND", "NOT_A_MEMBER", "ROOM_CLOSED", "CONFLICT", "ENGINE_UNAVAILABLE"],
    rateLimit: { points: 20, seconds: 60, by: "user" },
    handler: (call) => postLobby(deps, call),
  }),
  route<object, { room_id: string }>({
    ...user,
    method: "get",
    path: "/games/lobbies",
    summary: "Lobbies of a room that are open or in a game; for who is in the room.",
    query: schemas.lobbiesQuery,
    response: listOf(views.lobby),
    errors: ["NOT_FOUND", "NOT_A_MEMBER", "ROOM_CLOSED", "ENGINE_UNAVAILABLE"],
    extension: true,
    handler: (call) => getLobbies(deps, call),
  }),
  route<schemas.IdParams>({
    ...user,
    method: "get",
    path: "/games/lobbies/:id",
    summary: "A lobby; one of a room is seen by who is in either.",
    params: schemas.idParams,
    response: views.lobby,
    extension: true,
    handler: (call) => getLobby(deps, call),
  }),
  lobbyRoute(deps, "lobby:join"),
  lobbyRoute(deps, "lobby:ready"),
  lobbyRoute(deps, "lobby:start"),
  lobbyRoute(deps, "lobby:leave", true),
];

export const gamesRoutes = (deps: ApiDeps): Route[] => [
  route({
    ...user,
    method: "get",
    path: "/games/types",
    summary: "The games there are, with everything that a lobby shows.",
    response: listOf(views.gameType),
    handler: async () => listGameTypes(),
  }),
  ...lobbyRoutes(deps),
  route<schemas.IdParams>({
    ...user,
    method: "get",
    path: "/games/sessions/:id",
    summary: "A game as you may see it: a player, or while it goes on whoever is in its room.",
    params: schemas.idParams,
    response: views.session,
    errors: ["NOT_FOUND", "ENGINE_UNAVAILABLE"],
    handler: (call) => getSession(deps, call),
  }),
  route<schemas.IdParams, object, schemas.ActionBody>({
    ...user,
    method: "post",
    path: "/games/sessions/:id/action",
    summary: "Act in a game.",
    description:
      "The body is the action: `kind` and its members, `LudoAction` for ludo and so on, and an `action_id` that makes it safe to send again.",
    params: schemas.idParams,
    body: schemas.actionBody,
    response: views.session,
    errors: [...gameActions["game:action"].errors, "ENGINE_UNAVAILABLE"],
    handler: (call) => postAction(deps, call),
  }),
  route<schemas.IdParams>({
    ...user,
    method: "get",
    path: "/games/sessions/:id/proof",
    summary: "The seed of a game that is over, and everything that was drawn from it; for its players.",
    description:
      "Draw number `index` out of `n` (`purpose` ends with it) is the first four bytes, big endian, of HMAC-SHA256 with the seed as key over `index:attempt`, modulo `n`; `attempt` is 0, and one more while they are at or above the largest multiple of `n`.",
    params: schemas.idParams,
    response: views.gameProof,
    errors: ["NOT_FOUND", "CONFLICT"],
    extension: true,
    handler: ({ params, caller }) => gameProof(params.id, caller.userId),
  }),
  route<object, PageQuery>({
    ...user,
    method: "get",
    path: "/games/history",
    summary: "Games that you have played, newest first.",
    query: schemas.historyQuery,
    response: pageOf(views.playedGame),
    extension: true,
    handler: ({ caller, query }) => listPlayedGames(caller.userId, query),
  }),
];
