import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import fc from "fast-check";
import type { Member, ReactionCount, Room, RoomMessage, Seat } from "#shared/contracts/views.ts";
import {
  closeClients,
  connectSocket,
  type Inbox,
  joinNative,
  type NativeTestClient,
  type Payload,
  type SocketClient,
} from "#shared/testing/clients/clients.ts";
import { openTyped, type TypedClient } from "#shared/testing/clients/typed-client.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

const rounds = 30;
const seatCount = 5;
/** What may be refused, because it came at the wrong time. Anything else is a fault. */
const failures = new Set(
  `NOT_A_MEMBER FORBIDDEN NOT_FOUND SEAT_TAKEN SEAT_LOCKED ALREADY_SEATED NO_FREE_SEAT NOT_SEATED REQUEST_ALREADY_PENDING
  REQUEST_NOT_PENDING CONFLICT`.split(/\s+/),
);

/** What a user does: an action, and numbers that choose on whom, where and how. */
interface Step {
  readonly who: number;
  readonly what: number;
  readonly whom: number;
  readonly seat_no: number;
  readonly yes: boolean;
}

const step = fc.record<Step>({
  who: fc.nat(5),
  what: fc.nat(99),
  whom: fc.nat(5),
  seat_no: fc.integer({ min: 1, max: seatCount }),
  yes: fc.boolean(),
});

/** The room as a client pictures it that had it whole once, and events since then. */
function pictureOf(known: Room, inbox: Inbox) {
  const members = new Map<string, Member>(known.members.map((member) => [member.user.id, member]));
  let { seats, seat_count, seq, member_count } = known;
  for (const { event, payload } of inbox.all) {
    if (payload.room_id !== known.id || payload.seq === undefined || payload.seq <= known.seq) continue;
    expect(payload.seq, `${event} follows what came before`).to.equal(seq + 1);
    seq = payload.seq;
    if (payload.member_count !== undefined) member_count = payload.member_count;
    if (payload.member) members.set(payload.member.user.id, payload.member);
    if (event === "room:participant_left") members.delete(payload.user_id);
    if (event === "room:seats_updated") seats = payload.seats;
    if (event === "room:updated") seat_count = payload.room.seat_count;
  }
  return toPicture({ members: [...members.values()], seats, seat_count, seq, member_count });
}

const emojis = ["🔥", "❤️"] as const;

interface Said {
  readonly body: string;
  readonly reactions: Readonly<Record<string, number>>;
  readonly pinned: boolean;
}

/** The messages that a client pictures that has got their events. */
function saidIn(known: Room, inbox: Inbox): Map<string, Said> {
  const said = new Map<string, Said>();
  const change = (id: string, to: Partial<Said>) => {
    const before = said.get(id);
    if (before) said.set(id, { ...before, ...to });
  };
  for (const { event, payload } of inbox.all) {
    if (payload.room_id !== known.id || payload.seq === undefined || payload.seq <= known.seq) continue;
    if (event === "room:new_message")
      said.set(payload.message.id, { body: payload.message.body, reactions: {}, pinned: false });
    if (event === "message:updated") change(payload.message_id, { body: payload.body });
    if (event === "message:reacted") change(payload.message_id, { reactions: countsOf(payload.reactions) });
    if (event === "room:pinned") change(payload.message_id, { pinned: payload.pinned });
    if (event === "room:message_deleted") said.delete(payload.message_id);
  }
  return said;
}

const countsOf = (reactions: readonly ReactionCount[] = []) =>
  Object.fromEntries(reactions.map(({ emoji, count }) => [emoji, count]));

const onlineIn = (members: Pick<Member, "user">[]): string[] =>
  members
    .filter(({ user }) => user.is_online)
    .map(({ user }) => user.id)
    .sort();

type Picture = ReturnType<typeof toPicture>;
type Seen = Pick<Room, "members" | "seats" | "seat_count" | "seq" | "member_count">;

/** The seats say where a member sits. */
const toPicture = ({ members, seats, seat_count, seq, member_count }: Seen) => ({
  members: members
    .map(({ user, role, joined_at }) => ({ user, role, joined_at }))
    .sort((a, b) => (a.user.id < b.user.id ? -1 : 1)),
  online: onlineIn(members),
  seats: seats.map(({ user, ...seat }: Seat) => ({ ...seat, user_id: user?.id ?? null })),
  seat_count,
  seq,
  member_count,
});

/** What the state of a native client shows of a picture. */
function mirrorOf({ room: { state } }: NativeTestClient): Partial<Picture> {
  const seats = state.seats.toJSON().map(({ user_id, ...seat }: Payload) => ({ ...seat, user_id: user_id || null }));
  const { seq } = state;
  return { seats, online: onlineIn([...state.members.values()]), member_count: state.members.size, seq };
}

/** A room with all that its events tell. No event tells whether a host who isn't in the room is online. */
function wholeOf(room: Room): object {
  const isIn = room.members.some(({ user }) => user.id === room.host.id);
  return { ...room, host: { ...room.host, is_online: isIn && room.host.is_online } };
}

describe("the events of a room", () => {
  const service = useService();
  afterEach(closeClients);
  afterEach(() => Promise.all(people.map(({ typed }) => typed?.close())));

  interface Person extends BuiltUser {
    readonly transport: "socket" | "native" | "rest" | "typed" | "typed-native";
    client?: SocketClient | NativeTestClient | undefined;
    typed?: TypedClient | undefined;
    /** The room as it was when the user came in. */
    known?: Room | undefined;
  }
  let room: BuiltRoom;
  let people: Person[] = [];
  /** Messages that were sent. */
  let sent: string[] = [];

  async function newPerson(transport: Person["transport"]): Promise<Person> {
    const user = await buildUser();
    if (!transport.startsWith("typed")) return { ...user, transport };
    return { ...user, transport, typed: await openTyped(service.url, user, room.id, transport === "typed-native") };
  }

  const refused = (code: string) => expect([...failures], code).to.include(code);

  const refusedUnless = (code: string) => code === "ok" || refused(code);

  async function ask(person: Person, event: string, input: object): Promise<Payload> {
    const client = person.typed ?? person.client;
    if (!client) return undefined;
    const answer = await client.ask(event, { room_id: room.id, ...input }).catch((error: Error) => {
      // The user was removed while asking.
      if (person.transport !== "native") throw error;
      return { success: false, error: { code: "NOT_A_MEMBER" } };
    });
    // The typed client hadn't noticed yet that its connection was cut.
    if (person.typed && answer.error?.code === "NETWORK_ERROR") return undefined;
    if (!answer.success) refused(answer.error.code);
    return answer.data;
  }

  async function rest(person: Person, method: string, path: string, body?: object): Promise<void> {
    const answer = await service.call(method, `/rooms/${room.id}${path}`, { token: person.token, body });
    if (!answer.body.success) refused(answer.body.error.code);
  }

  async function enter(person: Person): Promise<void> {
    if (person.transport === "rest") return rest(person, "post", "/join", {});
    person.client?.close();
    if (person.typed) return void refusedUnless(await person.typed.enter());
    if (person.transport === "socket") {
      person.client = await connectSocket(service.url, person.token);
      person.known = await ask(person, "room:join", {});
    } else {
      const joining = joinNative(service.url, person.token, { room_id: room.id });
      person.client = (await joining.catch((error: Error) => void refused(error.message))) ?? undefined;
      person.known = (await ask(person, "room:sync", { since_seq: 0 }))?.room;
    }
  }

  async function say(person: Person, seat_no: number): Promise<void> {
    const message = await ask(person, "room:message", { body: `${seat_no}` });
    if (message) sent.push(message.id);
  }

  /** Reacts to one of the last messages, edits it, or deletes it. */
  async function treat(person: Person, which: number, yes: boolean): Promise<void> {
    const message_id = sent.at(-which);
    if (!message_id) return;
    if (which === 1) await ask(person, "message:edit", { message_id, body: yes ? "Yes" : "No" });
    else if (which === 2 && yes) await ask(person, "message:delete", { message_id });
    else await ask(person, yes ? "message:react" : "message:unreact", { message_id, emoji: emojis[which % 2] });
  }

  async function pin(person: Person, which: number, yes: boolean): Promise<void> {
    const message_id = sent.at(-1 - which);
    if (message_id) await ask(person, yes ? "message:pin" : "message:unpin", { message_id });
  }

  /** What each socket pictures of the messages that it has got, beside what the history says of them. */
  async function conversations(): Promise<[seen: object, is: object][]> {
    const read = async (path: string) =>
      (await service.call("get", `/rooms/${room.id}${path}`, { token: room.host.token })).body.data;
    const [history, pins] = [(await read("/messages?limit=100")).items, await read("/pins")];
    const pinned = new Set(pins.map(({ id }: { id: string }) => id));
    const is = new Map<string, Said>(
      history.map(({ id, body, reactions }: RoomMessage) => [
        id,
        { body, reactions: countsOf(reactions), pinned: pinned.has(id) },
      ]),
    );
    const { members } = await now();
    return people.flatMap(({ id, known, client }): [object, object][] => {
      const isHere = members.some(({ user }) => user.id === id);
      if (!isHere || !known || !client || "room" in client) return [];
      const seen = saidIn(known, client.inbox);
      return [[Object.fromEntries(seen), Object.fromEntries([...seen.keys()].map((id) => [id, is.get(id)]))]];
    });
  }

  /** One thing that one person does. */
  async function take({ who, what, whom, seat_no, yes }: Step): Promise<void> {
    const person = people[who]!;
    const user_id = people[whom]!.id;
    if (person.transport === "rest") {
      if (what < 50) return enter(person);
      if (what < 80) return rest(person, "post", "/seat-request", { seat_no });
      return rest(person, "post", "/leave", {});
    }
    if (!(person.client ?? person.typed?.room) || what < 10) return enter(person);
    const byHost = who < 2 && what < 60;
    if (!byHost) {
      if (what < 40) await ask(person, "seat:request", yes ? { seat_no } : {});
      else if (what < 50) await ask(person, "seat:accept_invite", {});
      else if (what < 60) await ask(person, "seat:cancel", {});
      else if (what < 64) await ask(person, "audio:state", { muted: yes, speaking: !yes });
      else if (what < 72) await say(person, seat_no);
      else if (what < 86) await treat(person, seat_no, yes);
      else if (what < 90) await ask(person, "seat:leave", {});
      else if (what < 95) await ask(person, "room:leave", {});
      else {
        // A user whose connection is lost keeps their place; a native client stays beside the next one.
        person.typed?.cut();
        if (person.transport === "socket") person.client?.close();
        person.client = undefined;
      }
      return;
    }
    const pending = await service.call("get", `/rooms/${room.id}/seat-requests`, { token: room.host.token });
    const request_id = pending.body.data[whom % Math.max(1, pending.body.data.length)]?.id;
    if (what < 30 && request_id) await ask(person, yes || seat_no > 2 ? "seat:approve" : "seat:reject", { request_id });
    else if (what < 35) await ask(person, "seat:invite", { user_id, seat_no });
    else if (what < 40) await ask(person, "seat:lock", { seat_no, locked: yes });
    else if (what < 45) await ask(person, "seat:mute", { seat_no, muted: yes });
    else if (what < 48) await ask(person, "seat:remove", { seat_no });
    else if (what < 52) await ask(person, "room:role", { user_id, role: yes ? "moderator" : "member" });
    else if (what < 55) await ask(person, "room:kick", { user_id });
    else if (what < 58) await pin(person, whom, yes);
    else await rest(people[0]!, "patch", "", { seat_count: yes ? seatCount : seatCount - 1 });
  }

  const now = async ({ token }: BuiltUser = room.host): Promise<Room> =>
    (await service.call("get", `/rooms/${room.id}`, { token })).body.data;

  /** What everybody who is in the room pictures, beside what it is. */
  async function pictures(): Promise<[seen: object, is: object][]> {
    const is = await now();
    const picture = toPicture(is);
    const here = people.filter(({ id, known }) => known && is.members.some(({ user }) => user.id === id));
    const seen = here.flatMap(({ known, client }) => (client ? pictureOf(known!, client.inbox) : []));
    const mirrors = here.flatMap(({ client }) => (client && "room" in client ? mirrorOf(client) : []));
    // The state of the typed client is the whole room.
    const typed = people.filter(({ typed }) => typed?.room);
    const states = typed.map(
      async (person): Promise<[object, object]> => [wholeOf(person.typed!.room!.state), wholeOf(await now(person))],
    );
    return [
      ...[...seen, ...mirrors.map((mirror) => ({ ...picture, ...mirror }))].map((one): [object, object] => [
        one,
        picture,
      ]),
      ...(await Promise.all(states)),
      ...(await conversations()),
    ];
  }

  /** Waits until the room rests, and everybody who is connected to it pictures it as it is. */
  async function agree(): Promise<void> {
    let all: [object, object][] = [];
    const late = await until(
      "everybody sees the room as it is",
      async () => {
        all = await pictures();
        return all.every(([seen, is]) => isDeepStrictEqual(seen, is));
      },
      10_000,
    ).then(
      () => undefined,
      (error: unknown) => error,
    );
    // What differs says more than that it took too long.
    for (const [seen, is] of all) expect(seen).to.deep.equal(is);
    if (late) throw late;
  }

  it("show every client, over any transport, the resulting room", async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    room = await buildRoom({ seat_count: seatCount });
    const transports = ["socket", "native", "typed", "typed-native", "rest"] as const;
    const others = await Promise.all(transports.map(newPerson));
    sent = [];
    people = [{ ...room.host, transport: "socket" }, ...others];
    for (const person of people) await enter(person);
    await ask(people[0]!, "room:role", { user_id: people[1]!.id, role: "moderator" });
    for (const seat_no of [1, 2, 3]) await say(people[0]!, seat_no);
    const steps = fc.sample(fc.uniqueArray(step, { minLength: 1, maxLength: 6, selector: ({ who }) => who }), {
      seed,
      numRuns: rounds,
    });
    try {
      for (const together of steps) {
        await Promise.all(together.map(take));
        await agree();
      }
    } catch (error) {
      if (error instanceof Error) error.message = `with SEED=${seed}: ${error.message}`;
      throw error;
    }
  }).timeout(60_000);
});
