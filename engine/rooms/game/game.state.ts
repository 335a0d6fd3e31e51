import { type SchemaType, schema, t } from "@colyseus/schema";
import type { Session } from "#shared/contracts/views/game-views.ts";
import { Board, nextBoard } from "./board.state.ts";

export const PlayerState = schema(
  { user_id: t.string(), username: t.string(), score: t.number(), place: t.number(), connected: t.boolean() },
  "PlayerState",
);

/**
 * A game as native clients see it by patches: what every spectator may see, and nothing else. `board` is
 * the public board of the game; what only one player may see comes to them in `game:state`.
 */
export const GameState = schema(
  {
    id: t.string(),
    type: t.string(),
    status: t.string(),
    version: t.number(),
    turn_user_id: t.string(),
    deadline_at: t.string(),
    players: t.array(PlayerState),
    board: t.ref(Board).optional(),
    seed_hash: t.string(),
  },
  "GameState",
);
export type GameState = SchemaType<typeof GameState>;

/** `publicView` is the game as a spectator sees it. */
export function projectGame(state: GameState, publicView: Session): void {
  const { id, type, status, version, turn, players, board, seed_hash } = publicView;
  const turn_user_id = turn?.user_id ?? "";
  const deadline_at = turn?.deadline_at ?? "";
  Object.assign(state, {
    id,
    type,
    status,
    version,
    turn_user_id,
    deadline_at,
    seed_hash,
    board: nextBoard(type, state.board, board),
  });
  for (const [index, { user, score, place, connected }] of players.entries()) {
    const values = { user_id: user.id, username: user.username, score, place: place ?? 0, connected };
    const mirror = state.players[index];
    if (mirror) Object.assign(mirror, values);
    else state.players.push(Object.assign(new PlayerState(), values));
  }
}
