import type { Result } from "#shared/kernel/domain-error.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import type { ActionSpec } from "./action-spec.ts";
import type { ServerPush } from "./events.ts";
import type { Infer } from "./fields.ts";
import type { gameActions, lobbyActions } from "./game-actions.ts";
import type { Principal } from "./principal.ts";
import type {
  GiftTransaction,
  Lobby,
  Member,
  Room,
  RoomCard,
  RoomMessage,
  RoomRole,
  RoomRules,
  RoomSnapshot,
  SeatRequest,
  Session,
} from "./views.ts";
import type { voiceActions } from "./voice-actions.ts";

/** The connection of a caller; REST has none. Events are sent over its `transport`, by the process `processId`. */
export interface Connection {
  readonly id: string;
  readonly processId: string;
  readonly transport: "socket" | "native";
}

/** An action of an actor. */
interface ActionTypes<Input, Reply> {
  readonly input: Input;
  readonly reply: Reply;
}

/** The actions of a table that clients use. The ID that identifies the actor isn't part of the input. */
type AskedByClients<Table extends Readonly<Record<string, ActionSpec>>, IdName extends string> = {
  readonly [A in keyof Table]: ActionTypes<Omit<Infer<Table[A]["payload"]>, IdName>, Infer<Table[A]["reply"]>>;
};

/** A connection closed. `ended`: on purpose, so a user without another connection leaves. */
type ConnectionDrop = ActionTypes<{ connection_id: string; ended?: boolean }, object>;

/** Actions on a voice room for REST and the service, without client events. */
interface VoiceRoomServiceActions {
  /** The room as the caller may see it. */
  "room:view": ActionTypes<object, Room>;
  /** A page of its members, as far as the caller may see them. */
  "room:members": ActionTypes<PageQuery, Page<Member>>;
  /** The caller's role in the room; null for a user without one. */
  "room:role_of": ActionTypes<object, { my_role: RoomRole | null }>;
  /** Pending seat requests; host and moderators. */
  "room:requests": ActionTypes<object, SeatRequest[]>;
  "room:update": ActionTypes<RoomPatch, RoomCard>;
  /** The room as an administrator sees it, private or not. */
  "room:inspect": ActionTypes<object, RoomSnapshot>;
  "room:close": ActionTypes<{ reason: string }, RoomCard>;
  /** Lifts one user's ban, or all; host and moderators. */
  "room:unban": ActionTypes<{ user_id?: string }, object>;
  /** What may not be said there; host and moderators. */
  "room:rules": ActionTypes<object, RoomRules>;
  "room:set_rules": ActionTypes<RoomRules, RoomRules>;
  /** Which of these users are in the room now. */
  "room:present": ActionTypes<{ user_ids: readonly string[] }, { present: string[] }>;
  /** What a user may do with the room's media now. */
  "voice:right": ActionTypes<{ user_id: string }, { right: VoiceRight }>;
  /** Whether the caller may join. A password is not checked here, so that a wrong one counts once, when they join. */
  "room:may_join": ActionTypes<{ password?: string }, object>;
  /** A member of the room's last actor, who was admitted then: no password is asked for. */
  "room:rejoin": ActionTypes<{ password?: undefined }, object>;
  "connection:drop": ConnectionDrop;
  /** The user ended this session on purpose: they leave, unless they are connected by another. */
  "session:ended": ActionTypes<{ user_id: string; session_id: string }, object>;
  /** A member who joined by REST receives the room's events over this connection; `join_id` names the membership. */
  "connection:add": ActionTypes<{ user_id: string; join_id: string; connection: Connection }, { added: boolean }>;
  /** The user has joined another room; `join_id` names the membership that ended. */
  "user:moved": ActionTypes<{ user_id: string; join_id: string }, object>;
  /** The user was suspended. */
  "user:remove": ActionTypes<{ user_id: string }, object>;
  /** The user and the host are blocked: removes the user from the room and from its moderators. */
  "user:expel": ActionTypes<{ user_id: string }, object>;
  /** A member's card has changed. */
  "user:card_changed": ActionTypes<{ user_id: string }, object>;
  /** A gift between two members is committed. Pushed as `gift:animation`. */
  "gift:sent": ActionTypes<{ transaction: GiftTransaction }, object>;
  /** The same for several gifts, in order. */
  "gifts:sent": ActionTypes<{ transactions: readonly GiftTransaction[] }, object>;
  /** A message that was held is shown. */
  "message:release": ActionTypes<
    { user_id: string; message: Omit<Infer<(typeof voiceActions)["room:message"]["payload"]>, "room_id"> },
    RoomMessage
  >;
  /** An administrator removed a chat message of `by`, its author. Pushed as `room:message_deleted`. */
  "message:removed": ActionTypes<{ message_id: string; by: string }, object>;
  /** Pushes an event that doesn't belong to the room to its members, except for `except`. */
  "room:push": ActionTypes<{ push: ServerPush; except: readonly string[] }, object>;
}

/** Actions on a lobby for the service. */
interface LobbyServiceActions {
  /** The room was closed, or the lobby has been idle for too long. */
  "lobby:cancel": ActionTypes<object, Lobby>;
  /** The user may no longer be in the lobby, or has left its room. */
  "lobby:expel": ActionTypes<{ user_id: string }, Lobby>;
}

/** Actions on a game for REST and the service. */
interface GameServiceActions {
  /** The game as the caller may see it. */
  "game:view": ActionTypes<object, Session>;
  /** The room that the game belongs to is closed. */
  "game:abandon": ActionTypes<object, Session>;
  /** Ensures that the game has an actor. */
  "game:tend": ActionTypes<object, object>;
  "connection:drop": ConnectionDrop;
}

/**
 * The actions of each kind of actor, with their inputs and replies. The kinds have the names that native clients use.
 */
export interface ActorActions {
  voice_room: AskedByClients<typeof voiceActions, "room_id"> & VoiceRoomServiceActions;
  game_lobby: AskedByClients<typeof lobbyActions, "lobby_id"> & LobbyServiceActions;
  game_session: AskedByClients<typeof gameActions, "session_id"> & GameServiceActions;
}

export type ActorKind = keyof ActorActions;
export type ActionOf<K extends ActorKind> = keyof ActorActions[K] & string;
export type InputOf<K extends ActorKind, A extends ActionOf<K>> =
  ActorActions[K][A] extends ActionTypes<infer Input, unknown> ? Input : never;
export type ReplyOf<K extends ActorKind, A extends ActionOf<K>> =
  ActorActions[K][A] extends ActionTypes<unknown, infer Reply> ? Reply : never;

type PatchedField =
  | ("name" | "category" | "language" | "description" | "cover_url" | "is_private" | "seat_count")
  | ("announcement" | "welcome" | "slow_mode_seconds" | "links_allowed");

/** `password`: null removes it. */
export type RoomPatch = Partial<Pick<RoomCard, PatchedField>> & { password?: string | null };

/** `publish`: may send audio. `listen`: in the room. `none`: not in the room. */
export type VoiceRight = "publish" | "listen" | "none";

/** How many people are in a room now. */
export type LiveCounts = Pick<RoomCard, "member_count" | "seated_count">;

/**
 * Calls the actor with this ID. Fails with ENGINE_UNAVAILABLE when the actor can't be reached or its mailbox is full.
 */
export type AskActor<K extends ActorKind> = <A extends ActionOf<K>>(
  id: string,
  principal: Principal,
  action: A,
  input: InputOf<K, A>,
) => Promise<Result<ReplyOf<K, A>>>;

/**
 * The port to live actors. Declared here, implemented by the engine, and used by the REST facade and by jobs;
 * `shared/main/service.ts` wires them. Finds the actor in any process, or creates it. Never throws a DomainError:
 * errors are values.
 */
export interface Actors {
  readonly voice: AskActor<"voice_room">;
  readonly lobby: AskActor<"game_lobby">;
  readonly game: AskActor<"game_session">;
  /** Resolves when the lists of rooms count everyone whose entry this process has answered. */
  settleCounts(): Promise<void>;
}

/** The part of the port for voice rooms. */
export type VoiceActors = Pick<Actors, "voice">;
