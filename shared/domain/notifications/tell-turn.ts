import type { Facts } from "#shared/contracts/facts.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { lockPlayersOf } from "#shared/domain/games/session-state.ts";
import type { Happening } from "./happenings.ts";
import { tell } from "./tell.ts";

const groupKeyOf = (sessionId: string) => `game_turn:${sessionId}`;

/** Calls a player who is away to his turn while the game goes on. */
export async function tellTurn({ session_id, type, user_id, version }: Facts["game.turn_waits"]): Promise<void> {
  await inTransaction(async (tx) => {
    // Locked, so that the end of the game, which takes this back, comes after it.
    const players = await lockPlayersOf(tx, session_id);
    if (!players) return;
    const groupKey = groupKeyOf(session_id);
    const turn: Happening = {
      type: "game_turn",
      setting: null,
      actorId: players.at(players.indexOf(user_id) - 1)!,
      eventKey: `${groupKey}:${version}`,
      groupKey,
      data: { session_id, game: type },
      pushedAgain: true,
    };
    await tell(tx, turn, [user_id]);
  });
}

/** Nobody is called to a game that is over. */
export async function takeBackTurns({ session_id, standings }: Facts["game.finished"]): Promise<void> {
  await inTransaction((tx) =>
    tx.query(
      "UPDATE notifications SET read_at = now() WHERE user_id = ANY($1::uuid[]) AND group_key = $2 AND read_at IS NULL",
      [standings.map(({ user_id }) => user_id), groupKeyOf(session_id)],
    ),
  );
}
