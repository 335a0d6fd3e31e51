import { anybody, type IdOf, id, type Outcomes, row, type SocialMatrix, theTwo } from "./social-rows.ts";

/** Who may do what in lobbies and games. */
const lobby: IdOf = (scene) => scene.lobby();
const game: IdOf = (scene) => scene.game();
const endedGame: IdOf = (scene) => scene.endedGame();
const players: Outcomes = ["NOT_A_MEMBER", "NOT_A_MEMBER", "NOT_A_MEMBER", "ok"];

export const games: SocialMatrix = {
  "get /games/types": anybody(),
  "get /games/history": anybody(),
  "post /games/lobbies": row(["NOT_A_MEMBER", "NOT_A_MEMBER", "ok", "ok"], async (scene) => ({
    body: { type: "ludo", room_id: await scene.room() },
  })),
  "get /games/lobbies": row(["NOT_A_MEMBER", "NOT_A_MEMBER", "ok", "ok"], async (scene) => ({
    query: { room_id: await scene.room() },
  })),
  "get /games/lobbies/:id": row(theTwo, id(lobby)),
  "post /games/lobbies/:id/join": row(["NOT_A_MEMBER", "BLOCKED", "ok", "ok"], id(lobby)),
  "post /games/lobbies/:id/ready": row(players, id(lobby)),
  "post /games/lobbies/:id/start": row(
    ["NOT_A_MEMBER", "NOT_A_MEMBER", "NOT_A_MEMBER", "NOT_ENOUGH_PLAYERS"],
    id(lobby),
  ),
  "post /games/lobbies/:id/leave": row(players, id(lobby)),
  "get /games/sessions/:id": row(theTwo, id(game)),
  "post /games/sessions/:id/action": row(
    ["NOT_FOUND", "NOT_FOUND", "NOT_YOUR_TURN", "ok"],
    id(game, { body: { kind: "roll" } }),
  ),
  "post /games/sessions/:id/action (when it is over)": row(
    ["NOT_FOUND", "NOT_FOUND", "SESSION_FINISHED", "SESSION_FINISHED"],
    id(endedGame, { body: { kind: "roll" } }),
  ),
  "get /games/sessions/:id (when it is over)": row(theTwo, id(endedGame)),
  "get /games/sessions/:id/proof (when it is over)": row(theTwo, id(endedGame)),
  // The seed is secret while the game is running.
  "get /games/sessions/:id/proof": row(["NOT_FOUND", "NOT_FOUND", "CONFLICT", "CONFLICT"], id(game)),
};
