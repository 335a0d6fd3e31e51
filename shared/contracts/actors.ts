import type { Result } from "#shared/kernel/domain-error.ts";
import type { VoiceAction, VoiceInputs, VoiceReplies } from "./actions.ts";
import type { ServerEvent } from "./events.ts";
import type { GameInputs, GameReplies, GameServiceInputs, GameServiceReplies, LobbyAction } from "./game-actions.ts";
import type { UserPrincipal } from "./principal.ts";
import type { GiftTransaction, Room, RoomCard, RoomRole, SeatRequest } from "./views.ts";

/** Over which connection a caller speaks. REST has none. `door` says how pushes reach it, `processId` who holds it. */
export interface Connection {
  readonly id: string;
  readonly processId: string;
  readonly door: "socket" | "native";
}

/** What the service itself, or REST, asks of a voice room; no client event stands behind these. */
export interface VoiceServiceInputs {
  /** The room as the caller may see it. */
  "room:view": object;
  /** The caller's role in the room, null for a stranger. */
  "room:role_of": object;
  /** Pending seat requests; host and moderators. */
  "room:requests": object;
  "room:update": RoomPatch;
  "room:close": { reason: string };
  /** Lifts one user's ban, or all; host and moderators. */
  "room:unban": { user_id?: string };
  /** Which of these users are in the room now. */
  "room:present": { user_ids: string[] };
  /** What a user may do with the room's media now. */
  "voice:right": { user_id: string };
  /** A connection is gone; `ended`: on purpose, so that whoever has no other leaves. */
  "connection:drop": { connection_id: string; ended?: boolean };
  /** The user has joined another room; `join_id` names the membership that ended. */
  "user:moved": { user_id: string; join_id: string };
  /** The user may no longer be here at all (suspended). */
  "user:remove": { user_id: string };
  /** The user and the host have nothing to do with each other from here on: he is out, and runs the room no more. */
  "user:expel": { user_id: string };
  /** What a member's card shows is another than before. */
  "user:card_changed": { user_id: string };
  /** A gift between two people of this room is committed. */
  "gift:sent": { transaction: GiftTransaction };
  /** Tells those of the room who are not `except` of something that is not the room's own. */
  "room:tell": { event: ServerEvent; payload: object; except: string[] };
}

export interface RoomPatch {
  name?: string;
  category?: string;
  language?: string;
  description?: string;
  is_private?: boolean;
  /** Null takes the password away. */
  password?: string | null;
  seat_count?: number;
}

/** `publish`: may send audio. `listen`: in the room. `none`: not in the room. */
export type VoiceRight = "publish" | "listen" | "none";

export interface VoiceServiceReplies {
  "room:view": Room;
  "room:role_of": { my_role: RoomRole | null };
  "room:requests": SeatRequest[];
  "room:update": RoomCard;
  "room:close": RoomCard;
  "room:unban": object;
  "room:present": { present: string[] };
  "voice:right": { right: VoiceRight };
  "connection:drop": object;
  "user:moved": object;
  "user:remove": object;
  "user:expel": object;
  "user:card_changed": object;
  "gift:sent": object;
  "room:tell": object;
}

export interface RoomInputs extends VoiceInputs, VoiceServiceInputs {}
export interface RoomReplies extends VoiceReplies, VoiceServiceReplies {}
export type RoomAction = VoiceAction | keyof VoiceServiceInputs;

/** How many people are in a room now. */
export interface LiveCounts {
  member_count: number;
  seated_count: number;
}

/**
 * The port to what is live. Declared here, implemented by the engine, used by the REST facade and by jobs; `main.ts`
 * wires them. Finds the actor wherever it lives, or makes it. Never throws for a refusal: that is a value.
 */
export interface Actors {
  /** `caller` null: the service itself. Fails with ENGINE_UNAVAILABLE when the actor is out of reach or its mailbox is full. */
  voice<A extends RoomAction>(
    roomId: string,
    caller: UserPrincipal | null,
    action: A,
    input: RoomInputs[A],
    connection?: Connection,
  ): Promise<Result<RoomReplies[A]>>;
  lobby<A extends LobbyAction | "lobby:cancel">(
    lobbyId: string,
    caller: UserPrincipal | null,
    action: A,
    input: Omit<(GameInputs & GameServiceInputs)[A], "lobby_id">,
  ): Promise<Result<(GameReplies & GameServiceReplies)[A]>>;
  game<A extends "game:action" | "game:view" | "game:abandon" | "game:tend">(
    sessionId: string,
    caller: UserPrincipal | null,
    action: A,
    input: Omit<(GameInputs & GameServiceInputs)[A], "session_id">,
  ): Promise<Result<(GameReplies & GameServiceReplies)[A]>>;
  /** Counts of all rooms that have an actor; a room that is not in the map is empty. */
  liveCounts(): Promise<ReadonlyMap<string, LiveCounts>>;
}

/** The part of the port that concerns voice rooms. */
export type VoiceActors = Pick<Actors, "voice">;
