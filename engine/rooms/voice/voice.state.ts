import { type SchemaType, schema, t } from "@colyseus/schema";
import type { Member, Seat, UserCard } from "#shared/contracts/views.ts";
import type { RoomRow } from "#shared/domain/live/rooms/rooms.queries.ts";
import type { RoomData } from "./room-data.ts";

/**
 * The room as native clients see it by schema patches. It mirrors what every member may see and nothing else: seat
 * requests, invitations and bans are not in here.
 */
const UserState = schema(
  {
    id: t.string(),
    username: t.string(),
    full_name: t.string(),
    avatar_url: t.string(),
    country: t.string(),
    is_online: t.boolean(),
    vip_name: t.string(),
    vip_badge_url: t.string(),
    frame_image_url: t.string(),
  },
  "UserState",
);

const SeatState = schema(
  {
    seat_no: t.uint8(),
    user_id: t.string(),
    locked: t.boolean(),
    muted: t.boolean(),
    muted_by_host: t.boolean(),
    speaking: t.boolean(),
    gifts_received: t.number(),
  },
  "SeatState",
);

const MemberState = schema(
  { user: UserState, role: t.string(), joined_at: t.string(), connected: t.boolean() },
  "MemberState",
);

export const VoiceState = schema(
  {
    id: t.string(),
    name: t.string(),
    category: t.string(),
    language: t.string(),
    description: t.string(),
    host_id: t.string(),
    version: t.number(),
    seq: t.number(),
    seats: t.array(SeatState),
    /** Those who are named, at most 300 and everyone who runs the room or has had a seat. */
    members: t.map(MemberState),
    member_count: t.number(),
  },
  "VoiceState",
);
export type VoiceState = SchemaType<typeof VoiceState>;

/** Keeps the state as the room is. */
export class Mirror {
  readonly state = new VoiceState();
  readonly #data: RoomData;
  /** The row that the state shows. */
  #row: RoomRow | undefined;

  constructor(data: RoomData) {
    this.#data = data;
  }

  /** Shows all of the room. */
  fill(): void {
    for (const userId of this.#data.members.keys()) this.#data.changedMembers.add(userId);
    this.project({ seats: true });
  }

  number(): void {
    this.state.seq = this.#data.log.seq;
    this.state.member_count = this.#data.members.size;
  }

  seats(): void {
    projectSeats(this.state, this.#data.seatViews(), this.#data.version);
  }

  /** Updates what has changed: it runs after every action. Gifts on seats are shown when they are announced. */
  project({ seats }: { seats: boolean }): void {
    const { row, members, crowd, changedMembers } = this.#data;
    if (row !== this.#row) projectRoom(this.state, row);
    this.#row = row;
    if (seats) this.seats();
    for (const userId of changedMembers)
      if (members.has(userId) && !crowd.has(userId)) projectMember(this.state, this.#data.memberView(userId));
      else if (this.state.members.has(userId)) this.state.members.delete(userId);
    changedMembers.clear();
  }
}

function projectRoom(state: VoiceState, row: RoomRow): void {
  const { id, name, category, language, description, host_id } = row;
  Object.assign(state, { id, name, category, language, description, host_id });
}

/** Only fields that differ are written, so that only those are sent. */
function projectSeats(state: VoiceState, seats: readonly Seat[], version: number): void {
  state.version = version;
  while (state.seats.length > seats.length) state.seats.pop();
  for (const [index, { user, ...rest }] of seats.entries()) {
    const values = { ...rest, user_id: user?.id ?? "" };
    const mirror = state.seats[index];
    if (mirror) Object.assign(mirror, values);
    else state.seats.push(Object.assign(new SeatState(), values));
  }
}

/** Null becomes an empty string here. */
const shownOf = ({ id, username, full_name, avatar_url, country, is_online, vip, frame }: UserCard) => ({
  id,
  username,
  full_name,
  avatar_url: avatar_url ?? "",
  country: country ?? "",
  is_online,
  vip_name: vip?.name ?? "",
  vip_badge_url: vip?.badge_url ?? "",
  frame_image_url: frame?.image_url ?? "",
});

function projectMember(state: VoiceState, { user, role, joined_at, connected }: Member): void {
  const mirror = state.members.get(user.id);
  if (mirror) {
    Object.assign(mirror, { role, joined_at, connected });
    Object.assign(mirror.user, shownOf(user));
    return;
  }
  const shown = Object.assign(new UserState(), shownOf(user));
  state.members.set(user.id, Object.assign(new MemberState(), { user: shown, role, joined_at, connected }));
}
