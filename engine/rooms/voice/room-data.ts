import type { Connection, LiveCounts } from "#shared/contracts/actors.ts";
import type {
  Member,
  ReactionCount,
  Room,
  RoomCard,
  RoomRole,
  RoomRules,
  Seat,
  SeatRequest,
  UserCard,
} from "#shared/contracts/views.ts";
import type { CompiledRules } from "#shared/domain/base/filter/compile-rules.ts";
import type { Live, LiveRequest } from "#shared/domain/live/rooms/live.ts";
import { noRules } from "#shared/domain/live/rooms/room-rules.ts";
import type { ClaimedRoom } from "#shared/domain/live/rooms/room-state.ts";
import { type RoomRow, toRoomCard } from "#shared/domain/live/rooms/rooms.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newIdAfter } from "#shared/kernel/ids.ts";
import { offsetOf, type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";
import type { ActorData, Outgoing } from "../../core/decision.ts";
import { EventLog, type LogMark } from "../../core/event-log.ts";
import { Crowd, namedMax } from "./crowd.ts";
import { readCard } from "./grouped-reads.ts";
import { RecentGifts } from "./recent-gifts.ts";
import { seatNoOf } from "./seats.rules.ts";

/** How long after an actor's start the members of its predecessor can be taken along, milliseconds. */
const takeOverMs = 60_000;

/** One person in the room, with any number of connections. */
export interface Membership {
  card: UserCard;
  readonly joinedAt: string;
  /** The room's log when they joined: earlier events are not repeated to them. */
  readonly joinedLog: LogMark;
  /** Identifies this membership among all past and future ones of the user. */
  joinId: string;
  /** The session that joined last; null if an earlier actor admitted the user, so that this one doesn't know. */
  sessionId: string | null;
  readonly connections: Map<string, Connection>;
  /** When the member leaves if no connection opens, milliseconds since 1970; null while there is one. */
  leaveAtMs: number | null;
}

/** A room with more members than are named shows so many. Clients get the others by page. */
const listedOfCrowd = 50;

/** Where a text of a room stands, for rules. */
export const whereIn = ({ roomId, row }: RoomData) => ({ roomId, category: row.category, language: row.language });

/** Everything that an actor knows of its room, and the views of it. Changed only by the actor, between decisions. */
export class RoomData implements ActorData<Live> {
  row: RoomRow;
  live: Live;
  readonly epoch: number;
  readonly log: EventLog;
  /** `seq` of the last change of seats. */
  version: number;
  readonly members = new Map<string, Membership>();
  readonly crowd = new Crowd();
  /** Who holds each connection. */
  readonly #holders = new Map<string, string>();
  readonly moderators: Set<string>;
  /** Until when, milliseconds since 1970. */
  readonly bans: Map<string, number>;
  /** What may not be said here, by its host and moderators; compiled when someone first writes. */
  rules: RoomRules;
  compiledRules?: CompiledRules | undefined;
  /** Coins, by seated user, on this sitting. */
  readonly giftsReceived: Map<string, number>;
  /** Gifts already counted in it whose events the outbox has not delivered yet. */
  readonly pendingGiftIds: ReadonlySet<string>;
  /** Messages sort by their IDs, whatever the clock of this process shows. */
  #lastMessageId: string | null;
  readonly gifts = new RecentGifts();
  /** Members with a change that native clients see. The actor writes them to its state and clears the list. */
  readonly changedMembers = new Set<string>();
  /** The seats must be announced soon: gifts, cards, or who is speaking have changed. */
  seatsDirty = false;
  /** The hearts that haven't been announced yet. */
  hearts = 0;
  /** The reactions to messages that haven't been announced yet. */
  readonly reacted = new Map<string, readonly ReactionCount[]>();
  /** When each member last wrote, milliseconds since 1970; kept only in slow mode. */
  readonly lastWrote = new Map<string, number>();

  constructor(row: RoomRow, live: Live, claimed: Omit<ClaimedRoom, "live">) {
    this.row = row;
    this.live = live;
    this.epoch = claimed.epoch;
    this.moderators = new Set(claimed.moderators);
    this.bans = new Map(claimed.bans.map(({ user_id, banned_until }) => [user_id, Date.parse(banned_until)]));
    this.rules = claimed.rules ?? noRules;
    this.giftsReceived = claimed.giftsReceived;
    this.pendingGiftIds = new Set(claimed.pendingGiftIds);
    this.#lastMessageId = claimed.lastMessageId;
    this.log = new EventLog(this.epoch);
    this.version = this.log.seq;
  }

  /** Returns the hearts to be announced, and begins with none. */
  takeHearts() {
    const count = this.hearts;
    this.hearts = 0;
    return { event: "room:hearts", payload: { room_id: this.roomId, count } } as const;
  }

  /** Returns the reactions and merged gifts to be announced, and begins with none. */
  takeGathered(): Outgoing[] {
    const taken = [...this.reacted];
    this.reacted.clear();
    const reactions = taken.map(([message_id, counts]) => ({
      event: "message:reacted" as const,
      payload: { room_id: this.roomId, message_id, reactions: [...counts] },
    }));
    const gifts = this.gifts.takeMerged().map((payload) => ({ event: "gift:animation" as const, payload }));
    return [...reactions, ...gifts];
  }

  /** Returns the ID of a new message, which sorts after all others of the room. */
  newMessageId(): string {
    this.#lastMessageId = newIdAfter(this.#lastMessageId);
    return this.#lastMessageId;
  }

  /** Members of the last actor who had no seat. */
  readonly listenersBefore = new Set<string>();
  readonly #startedMs = performance.now();
  /** Users who left since the start, and are therefore no members of the predecessor. */
  readonly #departed = new Set<string>();

  get #takesOver(): boolean {
    return performance.now() - this.#startedMs < takeOverMs;
  }

  holderOf(connectionId: string): string | undefined {
    return this.#holders.get(connectionId);
  }

  connect(userId: string, { connections }: Membership, connection: Connection): void {
    connections.set(connection.id, connection);
    this.#holders.set(connection.id, userId);
  }

  disconnect({ connections }: Membership, connectionId: string): void {
    connections.delete(connectionId);
    this.#holders.delete(connectionId);
  }

  removeMember(userId: string): void {
    for (const id of this.members.get(userId)?.connections.keys() ?? []) this.#holders.delete(id);
    this.members.delete(userId);
    this.crowd.leave(userId);
    this.#noteDeparture(userId);
  }

  #noteDeparture(userId: string): void {
    if (this.#takesOver) this.#departed.add(userId);
    else this.#departed.clear();
  }

  /** Returns whether a member of the last actor can be admitted without being asked. */
  mayRejoin(userId: string): boolean {
    return this.#takesOver && !this.#departed.has(userId);
  }

  /** Yields the members of the last actor who have not been taken along, and members who have gone away since. */
  *absent(): Generator<string> {
    for (const [userId, { connections }] of this.members) if (connections.size === 0) yield userId;
    for (const userId of this.listenersBefore) if (!this.members.has(userId) && this.mayRejoin(userId)) yield userId;
  }

  get stored(): Live {
    return this.live;
  }

  replace(next: Live): void {
    this.live = next;
    // Gifts count for one sitting.
    for (const userId of this.giftsReceived.keys())
      if (!next.seats.some((seat) => seat.userId === userId)) this.giftsReceived.delete(userId);
  }

  get roomId(): string {
    return this.row.id;
  }

  /** The host and moderators keep their role while they are away; others have none. */
  roleOf(userId: string): RoomRole | null {
    if (userId === this.row.host_id) return "host";
    if (this.moderators.has(userId)) return "moderator";
    return this.members.has(userId) ? "member" : null;
  }

  /** Who runs the room: host and moderators. */
  runners(): string[] {
    return [this.row.host_id, ...this.moderators];
  }

  /** @throws NOT_A_MEMBER */
  memberOf(userId: string): Membership {
    const membership = this.members.get(userId);
    if (!membership) throw new DomainError("NOT_A_MEMBER", "You aren't in this room.");
    return membership;
  }

  seatViews(): Seat[] {
    return this.live.seats.map((seat, index) => ({
      seat_no: index + 1,
      user: seat.userId ? (this.members.get(seat.userId)?.card ?? null) : null,
      locked: seat.locked,
      muted: seat.muted,
      muted_by_host: seat.mutedByHost,
      speaking: seat.speaking,
      gifts_received: seat.userId ? (this.giftsReceived.get(seat.userId) ?? 0) : 0,
    }));
  }

  memberView(userId: string): Member {
    const { card, joinedAt, connections } = this.memberOf(userId);
    return {
      user: card,
      role: this.roleOf(userId) ?? "member",
      seat_no: seatNoOf(this.live.seats, userId),
      joined_at: joinedAt,
      connected: connections.size > 0,
    };
  }

  /** @param host as `hostCard` has read it; a host who is in the room by now looks as among the members */
  cardView(host: UserCard): RoomCard {
    return toRoomCard(this.row, this.members.get(this.row.host_id)?.card ?? host, this.counts());
  }

  /** Returns the host's card as it is now; the host need not be in the room. */
  async hostCard(): Promise<UserCard> {
    return this.members.get(this.row.host_id)?.card ?? readCard(this.row.host_id);
  }

  counts(): LiveCounts {
    return {
      member_count: this.members.size,
      seated_count: this.live.seats.filter(({ userId }) => userId).length,
    };
  }

  /** All members: those who run the room and those on a seat first, then in the order in which they joined. */
  *roster(): Generator<string> {
    const first = new Set([...this.runners(), ...this.live.seats.flatMap(({ userId }) => userId ?? [])]);
    for (const userId of first) if (this.members.has(userId)) yield userId;
    for (const userId of this.members.keys()) if (!first.has(userId)) yield userId;
  }

  /** Whether a user may see who is in the room. */
  #isOpenTo(viewerId: string): boolean {
    return !this.row.is_private || this.roleOf(viewerId) !== null;
  }

  /** Returns a page of the members as a user may see them. */
  membersPage(viewerId: string, page: PageQuery): Page<Member> {
    if (!this.#isOpenTo(viewerId)) return toPage([], 0, page);
    const asked = this.roster().drop(offsetOf(page)).take(page.limit);
    return toPage([...asked.map((userId) => this.memberView(userId))], this.members.size, page);
  }

  /** Returns the room as a user may see it: only its members, host and moderators see who is in a private room. */
  roomView(viewerId: string, host: UserCard): Room {
    const open = this.#isOpenTo(viewerId);
    const isCrowd = this.members.size > namedMax;
    const shown = isCrowd ? this.#firstAnd(viewerId) : this.members.keys();
    return {
      ...this.cardView(host),
      seats: open ? this.seatViews() : [],
      members: open ? [...shown].map((userId) => this.memberView(userId)) : [],
      my_role: this.roleOf(viewerId),
      joined: this.members.has(viewerId),
      version: this.version,
      seq: this.log.seq,
    };
  }

  /** The first members, and the one who looks. */
  #firstAnd(viewerId: string): Set<string> {
    const shown = new Set(this.roster().take(listedOfCrowd));
    return this.members.has(viewerId) ? shown.add(viewerId) : shown;
  }

  requestView(request: LiveRequest, status: SeatRequest["status"], user?: UserCard): SeatRequest {
    return {
      id: request.id,
      room_id: this.roomId,
      user: user ?? this.memberOf(request.userId).card,
      seat_no: request.seatNo,
      status,
      created_at: request.createdAt,
    };
  }
}
