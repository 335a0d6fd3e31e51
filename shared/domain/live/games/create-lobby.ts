import type { VoiceActors } from "#shared/contracts/actors.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Lobby } from "#shared/contracts/views/game-views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { assertInRoom } from "#shared/domain/live/rooms/rooms.policy.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { existingLobby, lobbyView } from "./games.queries.ts";
import { gamesOn } from "./games.ts";

/** Lobbies and games that one user may host at once. */
const hostedMax = 5;

export interface LobbyInput {
  readonly type: string;
  readonly room_id?: string;
}

/**
 * Creates a lobby. The caller hosts it, is in it, and counts as ready. Publishes `lobby.changed`.
 * @throws VALIDATION_ERROR for an unknown game, CONFLICT with too many at once, NOT_A_MEMBER outside the room, or the
 *   error of the room's actor
 */
export async function createLobby(actors: VoiceActors, caller: UserPrincipal, input: LobbyInput): Promise<Lobby> {
  if (input.room_id) await assertInRoom(actors, caller, input.room_id);
  assertKnownGame(input.type);

  const id = newId();
  return inTransaction(async (tx) => {
    await assertFewHosted(tx, caller.userId);
    await tx.query("INSERT INTO game_lobbies (id, type, room_id, host_id, players) VALUES ($1, $2, $3, $4, $5)", [
      id,
      input.type,
      input.room_id ?? null,
      caller.userId,
      JSON.stringify([{ userId: caller.userId, ready: true }]),
    ]);
    await tx.publish("lobby.updated", { lobby_id: id });
    return lobbyView(await existingLobby(id));
  });
}

function assertKnownGame(type: string): void {
  const allowed = gamesOn().map(({ meta }) => meta.type);
  if (allowed.includes(type)) return;
  const values = { allowed: allowed.join(", ") };
  throw invalidFields([{ field: "type", text: "{{field}} must be one of {{allowed}}", values }]);
}

/** The user's row is the lock: two requests at once count each other. */
async function assertFewHosted(tx: Tx, userId: string): Promise<void> {
  await User.lock(tx, { id: userId }, ["id"]);
  const [hosted] = await tx.query<{ count: number }>(
    "SELECT count(*) FROM game_lobbies WHERE host_id = $1 AND status IN ('open', 'in_game')",
    [userId],
  );
  if ((hosted?.count ?? 0) >= hostedMax)
    throw new DomainError("CONFLICT", "You already host {{count}} games. End one first.", {
      values: { count: hostedMax },
    });
}
