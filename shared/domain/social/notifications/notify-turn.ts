import type { DomainEvents } from "#shared/contracts/domain-events.ts";
import type { Recorder } from "#shared/db/outbox-recorder.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { lockPlayersOf } from "#shared/domain/live/games/session-state.ts";
import type { AddressedEvent } from "./notification-events.ts";
import { notify } from "./notify.ts";

const groupKeyOf = (sessionId: string) => `game_turn:${sessionId}`;

/** Notifies players who are away that it is their turn, while the game is active. */
export const notifyTurn: Recorder<"game.turn_waits"> = async (tx, events) => {
  for (const event of events) {
    const turn = await turnOf(tx, event);
    if (turn) await notify(tx, [turn]);
  }
};

async function turnOf(
  tx: Tx,
  { session_id, type, user_id, version }: DomainEvents["game.turn_waits"],
): Promise<AddressedEvent | undefined> {
  // Locked, so that the end of the game, which marks this as read, comes after it.
  const players = await lockPlayersOf(tx, session_id);
  if (!players) return undefined;
  const actorId = await nearestBefore(tx, user_id, players);
  if (!actorId) return undefined;
  const groupKey = groupKeyOf(session_id);
  return {
    type: "game_turn",
    setting: null,
    receiverId: user_id,
    actorId,
    eventKey: `${groupKey}:${version}`,
    groupKey,
    data: { session_id, game: type },
    pushedAgain: true,
  };
}

/**
 * Returns the last player before the user between whom and the user no block stands: a block with one of several
 * players must not suppress the turn.
 */
async function nearestBefore(tx: Tx, userId: string, players: readonly string[]): Promise<string | undefined> {
  const at = players.indexOf(userId);
  const others = [...players.slice(at + 1), ...players.slice(0, at)];
  const [nearest] = await tx.query<{ id: string }>(
    `SELECT id FROM unnest($2::uuid[]) WITH ORDINALITY AS other (id, place)
     WHERE id NOT IN (SELECT blocked_people($1)) ORDER BY place DESC LIMIT 1`,
    [userId, others],
  );
  return nearest?.id;
}

/** Marks notifications of turns as read when the game is over. */
export const clearTurnNotifications: Recorder<"game.finished"> = async (tx, events) => {
  for (const { session_id, standings } of events)
    await tx.query(
      "UPDATE notifications SET read_at = now() WHERE user_id = ANY($1::uuid[]) AND group_key = $2 AND read_at IS NULL",
      [standings.map(({ user_id }) => user_id), groupKeyOf(session_id)],
    );
};
