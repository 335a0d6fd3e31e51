import type { Fact } from "#shared/contracts/facts.ts";
import { existingLobby, lobbyView } from "#shared/domain/games/games.queries.ts";
import { openLobbiesOf, openLobbiesWith } from "#shared/domain/games/lobby-state.ts";
import { activeSessionsOf } from "#shared/domain/games/session-state.ts";
import { newsOf } from "#shared/domain/notifications/notifications.queries.ts";
import { presenceNews } from "#shared/domain/presence/presence.audience.ts";
import { roomOf } from "#shared/domain/rooms/room-presence.ts";
import { openRoomsOf } from "#shared/domain/rooms/rooms.queries.ts";
import { gameKind, lobbyKind } from "../core/kinds.ts";
import type { EngineContext } from "../engine.ts";

type Reach = Pick<EngineContext, "directory" | "fanout">;

/**
 * Tells of a fact whom it concerns: the actors of rooms, and people by their connections. Throws when the fact must come
 * again.
 */
export async function pushFact({ directory, fanout }: Reach, fact: Fact): Promise<void> {
  switch (fact.topic) {
    case "gift.sent":
      return tell(directory, fact.payload.transaction.room_id, "gift:sent", fact.payload);
    case "user.deletion_requested":
    case "user.suspended": {
      const roomId = await roomOf(fact.payload.user_id);
      if (roomId) await tell(directory, roomId, "user:remove", fact.payload);
      for (const { id } of await openLobbiesWith(fact.payload.user_id))
        await expelFromLobby(directory, id, fact.payload);
      return;
    }
    case "user.card_changed": {
      const roomId = await roomOf(fact.payload.user_id);
      if (roomId) await tell(directory, roomId, "user:card_changed", fact.payload);
      return;
    }
    case "user.blocked": {
      const { blocker_id, blocked_id } = fact.payload;
      for (const [hostId, userId] of [
        [blocker_id, blocked_id],
        [blocked_id, blocker_id],
      ] as const) {
        await expelFromRoomsOf(directory, hostId, userId);
        await expelFromLobbiesOf({ directory, fanout }, hostId, userId);
      }
      return;
    }
    case "user.privacy_changed": {
      const news = await presenceNews([fact.payload.user_id], { ofHidden: true });
      for (const { presence, audience } of news) fanout.toUsers(audience, "presence:update", presence);
      return;
    }
    case "message.sent": {
      const { message, recipient_id } = fact.payload;
      const { conversation_id, sender_id } = message;
      return fanout.toUsers([sender_id, recipient_id], "dm:new", { conversation_id, message });
    }
    case "notification.created": {
      const news = await newsOf(fact.payload.notification_ids);
      for (const { user_id, ...payload } of news) fanout.toUsers([user_id], "notification:new", payload);
      return;
    }
    case "lobby.changed":
      return tellLobby({ directory, fanout }, fact.payload.lobby_id);
    case "room.closed":
      return endGames(directory, fact.payload.room_id);
    case "conversation.read": {
      const { conversation_id, reader_id, peer_id, read_at } = fact.payload;
      return fanout.toUsers([reader_id, peer_id], "dm:read", { conversation_id, reader_id, read_at });
    }
  }
}

async function expelFromRoomsOf(directory: Reach["directory"], hostId: string, userId: string): Promise<void> {
  for (const roomId of await openRoomsOf(hostId)) await tell(directory, roomId, "user:expel", { user_id: userId });
}

/** He is told himself: he is not among those who are told of the lobby any more. */
async function expelFromLobbiesOf({ directory, fanout }: Reach, hostId: string, userId: string): Promise<void> {
  for (const { id, host_id } of await openLobbiesWith(userId)) {
    if (host_id !== hostId) continue;
    await expelFromLobby(directory, id, { user_id: userId });
    fanout.toUsers([userId], "lobby:updated", { lobby: await lobbyView(await existingLobby(id)) });
  }
}

const expelFromLobby = (directory: Reach["directory"], id: string, input: { user_id: string }): Promise<void> =>
  end(directory, lobbyKind, id, "lobby:expel", input);

/** The lobby as it is now: to whoever is in it, and to whoever else is in its room. */
async function tellLobby({ directory, fanout }: Reach, lobbyId: string): Promise<void> {
  const lobby = await lobbyView(await existingLobby(lobbyId));
  const players = lobby.players.map(({ user }) => user.id);
  fanout.toUsers(players, "lobby:updated", { lobby });
  if (!lobby.room_id) return;
  const input = { event: "lobby:updated", payload: { lobby }, except: players };
  await tell(directory, lobby.room_id, "room:tell", input);
}

/** What belonged to a room ends with it. Games are looked for after the lobbies have ended: one may just be starting. */
async function endGames(directory: Reach["directory"], roomId: string): Promise<void> {
  for (const id of await openLobbiesOf(roomId)) await end(directory, lobbyKind, id, "lobby:cancel");
  for (const id of await activeSessionsOf(roomId)) await end(directory, gameKind, id, "game:abandon");
}

async function end(directory: Reach["directory"], kind: string, id: string, action: string, input = {}): Promise<void> {
  const result = await directory.call(kind, id, { caller: null, action, input });
  // It may have ended by itself meanwhile.
  if (!result.ok && result.code !== "LOBBY_NOT_OPEN" && result.code !== "SESSION_FINISHED")
    throw new Error(`${action} was refused: ${result.code}`);
}

/** An actor that is not there has nobody to tell. */
async function tell(directory: Reach["directory"], roomId: string, action: string, input: object): Promise<void> {
  const result = await directory.callIfAlive(roomId, { caller: null, action, input });
  if (result && !result.ok) throw new Error(`${action} was refused: ${result.code}`);
}
