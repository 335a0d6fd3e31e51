import type { Member, Room, ServerEvents } from "./social.generated.ts";

/** The events that have a number in their room. */
export type NumberedEvent = {
  [E in keyof ServerEvents]: "seq" extends keyof ServerEvents[E] ? E : never;
}[keyof ServerEvents];

type Reduce<E extends NumberedEvent> = (picture: RoomPicture, payload: ServerEvents[E]) => void;

/** What each event changes. A new event of the server doesn't compile until it has a line. */
const reducers: { readonly [E in NumberedEvent]: Reduce<E> } = {
  "room:participant_joined": (picture, { member, member_count }) => picture.came(member, member_count),
  "room:participant_left": (picture, { user_id, member_count }) => picture.went(user_id, member_count),
  "room:members_counted": (picture, { member_count }) => picture.set({ member_count }),
  "room:role_changed": (picture, { member }) => picture.changed(member),
  "room:member_updated": (picture, { member }) => picture.changed(member),
  "room:seats_updated": (picture, { seats, version }) => picture.set({ seats, version }),
  "room:updated": (picture, { room }) => picture.set(room),
  "room:closed": (picture) => picture.set({ status: "closed" }),
  "room:new_message": () => {},
  "room:message_deleted": () => {},
  "room:pinned": () => {},
  "message:updated": () => {},
  "message:reacted": () => {},
  "gift:animation": () => {},
};

/** A room as its events show it. Events are applied in the order of their numbers; see `RoomFeed`. */
export class RoomPicture {
  readonly #userId: string;
  #room: Room;
  #members: Map<string, Member>;
  #snapshot: Room | undefined;

  constructor(room: Room, userId: string) {
    this.#userId = userId;
    this.#room = room;
    this.#members = membersOf(room);
  }

  get seq(): number {
    return this.#room.seq;
  }

  get myRole(): Room["my_role"] {
    return this.#room.my_role;
  }

  /** Whether the room knows a connection of the user. */
  get isConnected(): boolean {
    return this.#members.get(this.#userId)?.connected === true;
  }

  /** The room as it is now. The same object until something changes. */
  get snapshot(): Room {
    this.#snapshot ??= this.#view();
    return this.#snapshot;
  }

  replace(room: Room): void {
    this.#room = room;
    this.#members = membersOf(room);
    this.#snapshot = undefined;
  }

  apply<E extends NumberedEvent>(event: E, payload: ServerEvents[E]): void {
    reducers[event]?.(this, payload);
    this.set({ seq: payload.seq! });
  }

  set(fields: Partial<Room>): void {
    this.#room = { ...this.#room, ...fields };
    this.#snapshot = undefined;
  }

  came(member: Member, member_count: number): void {
    this.changed(member);
    this.set({ member_count });
  }

  went(userId: string, member_count: number): void {
    this.#members.delete(userId);
    this.set({ member_count, ...(userId === this.#userId && { joined: false }) });
  }

  changed(member: Member): void {
    const { user, role } = member;
    this.#members.set(user.id, member);
    if (user.id === this.#userId) this.set({ my_role: role });
    if (user.id === this.#room.host.id) this.set({ host: user });
  }

  /** Seats say where members sit, and members how they look. */
  #view(): Room {
    const seats = this.#room.seats.map((seat) => ({
      ...seat,
      user: seat.user && (this.#members.get(seat.user.id)?.user ?? seat.user),
    }));
    const seatOf = new Map(seats.flatMap(({ user, seat_no }) => (user ? [[user.id, seat_no]] : [])));
    const members = [...this.#members.values()].map((member) => ({
      ...member,
      seat_no: seatOf.get(member.user.id) ?? null,
    }));
    return { ...this.#room, seats, members, seated_count: seatOf.size };
  }
}

const membersOf = ({ members }: Room) => new Map(members.map((member) => [member.user.id, member]));
