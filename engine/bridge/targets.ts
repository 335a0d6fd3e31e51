import type { ActionOf, ActorKind, InputOf } from "#shared/contracts/actors.ts";
import type { DomainEvents } from "#shared/contracts/domain-events.ts";
import { service } from "#shared/contracts/principal.ts";
import { GroupCommit } from "#shared/db/group-commit.ts";
import { outsideTransaction } from "#shared/db/sequelize.ts";
import { addressPresence } from "#shared/domain/identity/presence/presence.audience.ts";
import { existingLobby, lobbyView } from "#shared/domain/live/games/games.queries.ts";
import { openLobbiesOf, openLobbiesWith } from "#shared/domain/live/games/lobby-state.ts";
import { activeSessionsOf } from "#shared/domain/live/games/session-state.ts";
import { cutModerators } from "#shared/domain/live/rooms/cut-moderators.ts";
import { roomOf } from "#shared/domain/live/rooms/room-presence.ts";
import { openRoomsOf } from "#shared/domain/live/rooms/rooms.queries.ts";
import {
  countUnread,
  type UnreadNotification,
  unreadNotifications,
} from "#shared/domain/social/notifications/notifications.queries.ts";
import { engine } from "../engine.ts";
import { notifyRoom } from "./notify-room.ts";

/** Targets that events are pushed to, one after the other. */
export type Target = `${"room" | "user" | "lobby" | "conversation"}:${string}`;
export const room = (id: string): Target => `room:${id}`;
export const user = (id: string): Target => `user:${id}`;
export const lobby = (id: string): Target => `lobby:${id}`;
export const conversation = (id: string): Target => `conversation:${id}`;
export const idOf = (target: string): string => target.slice(target.indexOf(":") + 1);

/** To the actor of the room that a user is in. */
export async function notifyRoomOf(
  action: "user:card_changed" | "user:remove",
  input: { user_id: string },
): Promise<void> {
  const roomId = await roomOf(input.user_id);
  if (roomId) await notifyRoom(roomId, action, input);
}

/** Removes a user from their room and their lobbies. */
export async function removeUser(input: { user_id: string }): Promise<void> {
  await notifyRoomOf("user:remove", input);
  for (const { id } of await openLobbiesWith(input.user_id)) await end("game_lobby", id, "lobby:expel", input);
}

/** Removes each of two users from the rooms and lobbies of the other. */
export async function separateUsers({ blocker_id, blocked_id }: DomainEvents["user.blocked"]): Promise<void> {
  // First: a room that gets an actor from here on finds no role, and one that has an actor is notified.
  await cutModerators(blocker_id, blocked_id);
  for (const [hostId, user_id] of [
    [blocker_id, blocked_id],
    [blocked_id, blocker_id],
  ] as const) {
    for (const roomId of await openRoomsOf(hostId)) await notifyRoom(roomId, "user:expel", { user_id });
    for (const { id, host_id } of await openLobbiesWith(user_id)) {
      if (host_id !== hostId) continue;
      await end("game_lobby", id, "lobby:expel", { user_id });
      // They no longer get the lobby's events.
      const lobby = await lobbyView(await existingLobby(id));
      engine().fanout.toUsers([user_id], { event: "lobby:updated", payload: { lobby } });
    }
  }
}

/** Pushes a user's presence to those who may see it, as each may see it now. */
export async function pushPresence({ user_id }: DomainEvents["user.privacy_changed"]): Promise<void> {
  for (const { presence, audience } of await addressPresence([user_id], { ofHidden: true }))
    engine().fanout.toUsers(audience, { event: "presence:update", payload: presence });
}

/** Reads the notifications that several pushes need at the same time by one statement. */
const unread = new GroupCommit(async (asked: readonly (readonly string[])[]): Promise<UnreadNotification[][]> => {
  const found = new Map((await unreadNotifications(asked.flat())).map((one) => [one.notification.id, one]));
  return asked.map((ids) => ids.flatMap((id) => found.get(id) ?? []));
});

/** To the receiver of a notification that is gone, with what is unread now. */
export async function pushWithdrawal({ user_id, ...gone }: DomainEvents["notification.withdrawn"]): Promise<void> {
  const payload = { ...gone, unread_count: await countUnread(user_id) };
  engine().fanout.toUsers([user_id], { event: "notification:withdrawn", payload });
}

/** To the receiver of each notification, as it is now. */
export async function pushNotifications({
  user_id: receiverId,
  notification_ids,
}: DomainEvents["notification.new"]): Promise<void> {
  if (!engine().fanout.mayReach(receiverId)) return;
  for (const { user_id, notification, unread_count } of await unread.add(notification_ids))
    engine().fanout.toUsers([user_id], { event: "notification:new", payload: { notification, unread_count } });
}

/** Pushes the current lobby to its players and to everyone else in its room. */
export async function pushLobby({ lobby_id }: DomainEvents["lobby.updated"]): Promise<void> {
  const lobby = await lobbyView(await existingLobby(lobby_id));
  const push = { event: "lobby:updated", payload: { lobby } } as const;
  const players = lobby.players.map(({ user }) => user.id);
  engine().fanout.toUsers(players, push);
  if (lobby.room_id) await notifyRoom(lobby.room_id, "room:push", { push, except: players });
}

/** Ends a room's lobbies and games. Games come after lobbies, because a lobby may just be starting one. */
export async function endGamesOfRoom({ room_id }: DomainEvents["room.closed"]): Promise<void> {
  for (const id of await openLobbiesOf(room_id)) await end("game_lobby", id, "lobby:cancel", {});
  for (const id of await activeSessionsOf(room_id)) await end("game_session", id, "game:abandon", {});
}

async function end<K extends ActorKind, A extends ActionOf<K>>(
  kind: K,
  id: string,
  action: A,
  input: InputOf<K, A>,
): Promise<void> {
  const { directory } = engine();
  // Actors have connections of their own.
  const result = await outsideTransaction(() => directory.call(kind, id, { principal: service, action, input }));
  // It may have ended in the meantime.
  if (!result.ok && result.code !== "LOBBY_NOT_OPEN" && result.code !== "SESSION_FINISHED")
    throw new Error(`${action} was rejected: ${result.code}`);
}
