import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { games } from "./games.ts";

/** Lobbies and games that one person may host at once. */
const hostedMax = 5;

/**
 * Opens a lobby; the caller hosts it, is in it, and counts as ready. That he is in `room_id` is for the caller of this to
 * ask the room's actor. Answers its id.
 * @throws VALIDATION_ERROR for an unknown game, CONFLICT with too many at once
 */
export async function createLobby(caller: UserPrincipal, input: { type: string; room_id?: string }): Promise<string> {
  if (!games.has(input.type)) {
    const message = `type must be one of ${[...games.keys()].join(", ")}`;
    throw new DomainError("VALIDATION_ERROR", message, { details: [{ field: "type", message }] });
  }
  const id = newId();
  await inTransaction(async (tx) => {
    // The person's row is the lock: two requests at once count each other.
    await tx.query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [caller.userId]);
    const [hosted] = await tx.query<{ count: number }>(
      "SELECT count(*) FROM game_lobbies WHERE host_id = $1 AND status IN ('open', 'in_game')",
      [caller.userId],
    );
    if ((hosted?.count ?? 0) >= hostedMax)
      throw new DomainError("CONFLICT", `You already host ${hostedMax} games. End one first.`);
    await tx.query("INSERT INTO game_lobbies (id, type, room_id, host_id, players) VALUES ($1, $2, $3, $4, $5)", [
      id,
      input.type,
      input.room_id ?? null,
      caller.userId,
      JSON.stringify([{ userId: caller.userId, ready: true }]),
    ]);
    await tx.publish("lobby.updated", { lobby_id: id });
  });
  return id;
}
