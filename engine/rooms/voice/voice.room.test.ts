import { matchMaker } from "@colyseus/core";
import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { differingRooms } from "#shared/domain/live/rooms/room-state.ts";
import { firstIdAt, newId, newIdAfter, timeOfId } from "#shared/kernel/ids.ts";
import {
  closeClients,
  codeOf,
  connectSocket,
  joinNative,
  joinVoiceRoom,
  type Payload,
  type SocketClient,
} from "#shared/testing/clients/clients.ts";
import { buildVoiceScene } from "#shared/testing/clients/voice-scene.ts";
import { type BuiltRoom, type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import type { Command } from "../../core/command.ts";
import { engine } from "../../engine.ts";
import type { VoiceRoom } from "./voice.room.ts";

describe("a voice room", () => {
  const service = useService();
  const time = useClock();
  let room: BuiltRoom;
  let ada: BuiltUser;
  let hostSocket: SocketClient;
  let adaSocket: SocketClient;

  const enter = (user: BuiltUser) => joinVoiceRoom(service.url, user.token, room.id);
  const inRoom = (more: object = {}) => ({ room_id: room.id, ...more });

  beforeEach(async () => {
    ({ room, ada, hostSocket, adaSocket } = await buildVoiceScene(service.url));
  });
  afterEach(closeClients);

  it("gathers hearts, tells everyone how many, and stores none", async () => {
    const room = await buildRoom();
    const [one, two] = [await buildUser(), await buildUser()];
    const inRoom = { room_id: room.id };
    const sockets = [await connectSocket(service.url, one.token), await connectSocket(service.url, two.token)];
    for (const socket of sockets) await socket.ask("room:join", inRoom);
    const native = await joinNative(service.url, two.token, inRoom);
    const before = (await sockets[0]!.ask("room:sync", { ...inRoom, since_seq: 0 })).data.room.seq;
    const sent = await Promise.all(
      Array.from({ length: 30 }, (_, index) => sockets[index % 2]!.ask("room:heart", inRoom)),
    );
    expect(sent.every(({ success }) => success)).to.equal(true);
    const sumOf = ({ inbox }: { inbox: { of(event: string): { count: number }[] } }) =>
      inbox.of("room:hearts").reduce((sum, { count }) => sum + count, 0);
    for (const client of [...sockets, native]) {
      await until("all hearts are told", () => sumOf(client) === 30);
      expect(client.inbox.of("room:hearts").length).to.be.below(30);
    }
    const stranger = await connectSocket(service.url, (await buildUser()).token);
    expect((await stranger.ask("room:heart", inRoom)).error.code).to.equal("NOT_A_MEMBER");
    const after = await sockets[0]!.ask("room:sync", { ...inRoom, since_seq: before });
    expect(after.data.events).to.deep.equal([]);
  });

  it("announces a user who joins", async () => {
    const joined = await hostSocket.inbox.next("room:participant_joined", ({ member }) => member.user.id === ada.id);

    expect(joined).to.deep.include({ room_id: room.id, member_count: 2 });
    expect(joined.member).to.deep.include({ role: "member", seat_no: null });
  });

  it("gives the host seat 1", async () => {
    const { seats } = await hostSocket.inbox.next("room:seats_updated");

    expect(seats[0].user.id).to.equal(room.host.id);
  });

  it("shows its live counts and the caller's role over REST", async () => {
    const { body } = await service.call("get", `/rooms/${room.id}`, { token: ada.token });

    expect(body.data).to.include({ member_count: 2, seated_count: 1, my_role: "member" });
    expect(body.data.seq).to.be.a("number");
  });

  it("shows the host a seat request, also one made over REST", async () => {
    const asked = await service.call("post", `/rooms/${room.id}/seat-request`, {
      token: ada.token,
      body: { seat_no: 3 },
    });

    expect(asked.status).to.equal(201);
    const { request } = await hostSocket.inbox.next("room:seat_requested");
    expect(request).to.deep.include({ id: asked.body.data.id, status: "pending", seat_no: 3 });
  });

  it("seats a requester whom the host approves, and notifies each connection once", async () => {
    const native = await joinNative(service.url, (await buildUser()).token, { room_id: room.id });
    const { data: request } = await adaSocket.ask("seat:request", inRoom({ seat_no: 3 }));
    const fits = ({ seats }: { seats: { user: { id: string } | null }[] }) => seats[2]?.user?.id === ada.id;

    const approved = await hostSocket.ask("seat:approve", inRoom({ request_id: request.id }));

    expect(approved.data.status).to.equal("approved");
    for (const client of [hostSocket, adaSocket, native]) await client.inbox.next("room:seats_updated", fits);
    await until("the native state follows", () => native.room.state.seats[2]?.user_id === ada.id);
    for (const client of [hostSocket, adaSocket, native])
      expect(client.inbox.of("room:seats_updated").filter(fits)).to.have.length(1);
  });

  it("shows gifts in the native state when they are announced, not one by one", async () => {
    const [giver, gift] = await Promise.all([buildUser({ coins: 100 }), buildGift({ price: 10 })]);
    const { room: native } = await joinNative(service.url, giver.token, { room_id: room.id });
    const shown = new Map<number, Set<number>>();
    native.onStateChange(({ version, seats }) => {
      shown.set(version, (shown.get(version) ?? new Set()).add(seats[0].gifts_received));
    });

    for (let count = 1; count <= 5; count += 1) {
      const body = { gift_id: gift.id, recipient_id: room.host.id, quantity: 1 };
      await service.call("post", `/rooms/${room.id}/gifts`, { token: giver.token, body });
      await until("it is shown", () => native.state.seats[0].gifts_received === 10 * count);
    }

    for (const amounts of shown.values()) expect(amounts).to.have.length(1);
  });

  it("no longer lists a seat request that was approved", async () => {
    const { data: request } = await adaSocket.ask("seat:request", inRoom({ seat_no: 3 }));
    await hostSocket.ask("seat:approve", inRoom({ request_id: request.id }));

    const pending = await service.call("get", `/rooms/${room.id}/seat-requests`, { token: room.host.token });

    expect(pending.body.data).to.deep.equal([]);
  });

  const actor = () => matchMaker.getLocalRoomById(room.id) as unknown as VoiceRoom;
  const roomOfAda = async () => (await query("SELECT room_id FROM room_presence WHERE user_id = $1", [ada.id]))[0];

  it("records its members again after a crash of the database", async () => {
    await query("DELETE FROM room_presence WHERE room_id = $1", [room.id]);
    expect(await differingRooms([actor()])).to.deep.equal([{ room_id: room.id, stale: false }]);

    await actor().recordMembers();

    expect(await roomOfAda()).to.deep.equal({ room_id: room.id });
    expect(await differingRooms([actor()])).to.deep.equal([]);
  });

  it("lets go of members who joined another room before they were recorded again", async () => {
    const other = await buildRoom();
    await query("DELETE FROM room_presence WHERE room_id = $1", [room.id]);
    await query("INSERT INTO room_presence (user_id, room_id, join_id) VALUES ($1, $2, $3)", [
      ada.id,
      other.id,
      newId(),
    ]);

    await actor().recordMembers();

    expect(await adaSocket.inbox.next("room:left")).to.deep.equal({ room_id: room.id, reason: "moved" });
    expect(await roomOfAda()).to.deep.equal({ room_id: other.id });
  });

  it("sorts messages after those of an actor whose clock was ahead", async () => {
    const other = await buildRoom();
    const ahead = newIdAfter(firstIdAt(Date.now() + 60_000));
    await query(
      "INSERT INTO room_messages (id, room_id, user_id, body, created_at) VALUES ($1, $2, $3, 'early', now())",
      [ahead, other.id, ada.id],
    );

    const client = await joinVoiceRoom(service.url, ada.token, other.id);
    const said = await client.ask("room:message", { room_id: other.id, body: "late" });

    expect(said.data.id > ahead).to.equal(true);
    expect(Date.parse(said.data.created_at)).to.be.greaterThan(timeOfId(ahead));
  });

  it("frees the seat of a user who leaves it", async () => {
    await hostSocket.ask("seat:invite", inRoom({ user_id: ada.id, seat_no: 3 }));
    await adaSocket.ask("seat:accept_invite", inRoom());

    const left = await adaSocket.ask("seat:leave", inRoom());

    expect(left.data.seats[2].user).to.equal(null);
  });

  it("gives each of two requesters of one seat a seat of their own", async () => {
    const rivals = await Promise.all([buildUser(), buildUser()]);
    const sockets = await Promise.all(rivals.map(enter));
    const requests = await Promise.all(sockets.map((socket) => socket.ask("seat:request", inRoom({ seat_no: 5 }))));

    const approvals = await Promise.all(
      requests.map(({ data }) => hostSocket.ask("seat:approve", inRoom({ request_id: data.id }))),
    );

    expect(approvals.every(({ success }) => success)).to.equal(true);
    const { body } = await service.call("get", `/rooms/${room.id}`, { token: ada.token });
    const seated = body.data.seats.flatMap((seat: { user: { id: string } | null }) => seat.user?.id ?? []);
    expect(seated).to.have.members([room.host.id, ...rivals.map(({ id }) => id)]);
  });

  it("gives the seat to one of two invited users who accept at once", async () => {
    const rivals = await Promise.all([buildUser(), buildUser()]);
    const sockets = await Promise.all(rivals.map(enter));
    for (const { id } of rivals) await hostSocket.ask("seat:invite", inRoom({ user_id: id, seat_no: 8 }));

    const accepted = await Promise.all(sockets.map((socket) => socket.ask("seat:accept_invite", inRoom())));

    expect(accepted.map((reply) => codeOf(reply) ?? "ok").sort()).to.deep.equal(["SEAT_TAKEN", "ok"]);
  });

  it("rejects actions of users who aren't in it", async () => {
    const eve = await buildUser();
    const eveSocket = await connectSocket(service.url, eve.token);

    expect(codeOf(await eveSocket.ask("room:message", inRoom({ body: "hi" })))).to.equal("NOT_A_MEMBER");
    expect(codeOf(await eveSocket.ask("seat:request", inRoom()))).to.equal("NOT_A_MEMBER");
    const messages = await service.call("get", `/rooms/${room.id}/messages`, { token: eve.token });
    expect(messages.body.error.code).to.equal("NOT_A_MEMBER");
  });

  it("rejects actions of members that are for the host and moderators", async () => {
    expect(codeOf(await adaSocket.ask("seat:lock", inRoom({ seat_no: 2, locked: true })))).to.equal("FORBIDDEN");
    expect(codeOf(await adaSocket.ask("room:kick", inRoom({ user_id: room.host.id })))).to.equal("FORBIDDEN");
  });

  it("lets moderators run it, but neither remove the host nor change roles", async () => {
    const promoted = await hostSocket.ask("room:role", inRoom({ user_id: ada.id, role: "moderator" }));
    expect(promoted.data.member.role).to.equal("moderator");

    const locked = await adaSocket.ask("seat:lock", inRoom({ seat_no: 2, locked: true }));
    const kicked = await adaSocket.ask("room:kick", inRoom({ user_id: room.host.id }));
    const changed = await adaSocket.ask("room:role", inRoom({ user_id: room.host.id, role: "moderator" }));

    expect([locked, kicked, changed].map((reply) => codeOf(reply) ?? "ok")).to.deep.equal([
      "ok",
      "FORBIDDEN",
      "FORBIDDEN",
    ]);
  });

  describe("with twenty messages", () => {
    const bodies = Array.from({ length: 20 }, (_, index) => `message ${index}`);
    let replies: Payload[];
    beforeEach(async () => {
      replies = await Promise.all(
        bodies.map((body, index) => adaSocket.ask("room:message", inRoom({ body, client_id: `c${index}` }))),
      );
      await hostSocket.inbox.next("room:new_message", ({ message }) => message.body === "message 19");
    });

    it("stores a message with the same client_id once", async () => {
      const repeated = await adaSocket.ask("room:message", inRoom({ body: "message 3", client_id: "c3" }));

      expect(repeated.data.id).to.equal(replies[3]!.data.id);
    });

    it("pushes them in order, with consecutive sequence numbers", async () => {
      const pushed = hostSocket.inbox.of("room:new_message").map(({ message }) => message.body);
      const seqs = hostSocket.inbox.all.map(({ payload }) => payload.seq).filter(Boolean);

      expect(pushed).to.deep.equal(bodies);
      expect(seqs).to.deep.equal(seqs.map((_, index) => seqs[0] + index));
      expect(adaSocket.inbox.of("room:new_message")[4].message.client_id).to.equal("c4");
    });

    it("lists them by cursor, newest first", async () => {
      const list = async (query: string) =>
        (await service.call("get", `/rooms/${room.id}/messages?${query}`, { token: ada.token })).body.data;

      const page = await list("limit=15");
      const rest = await list(`before=${page.next_before}`);

      expect(page.items).to.have.length(15);
      expect(rest.next_before).to.equal(null);
      const stored = [...page.items, ...rest.items].map(({ body }: { body: string }) => body);
      expect(stored).to.deep.equal(bodies.toReversed());
    });
  });

  it("announces that a message was deleted", async () => {
    const sent = await adaSocket.ask("room:message", inRoom({ body: "rude" }));

    const path = `/rooms/${room.id}/messages/${sent.data.id}`;
    const removed = await service.call("delete", path, { token: room.host.token });

    expect(removed.status).to.equal(200);
    expect(await adaSocket.inbox.next("room:message_deleted")).to.include({ message_id: sent.data.id });
  });

  it("rejects chat messages of a muted user, and edits of earlier ones, until the mute is lifted", async () => {
    const { data: earlier } = await adaSocket.ask("room:message", inRoom({ body: "x" }));
    const say = () => adaSocket.ask("room:message", inRoom({ body: "y" }));
    const edit = () => adaSocket.ask("message:edit", inRoom({ message_id: earlier.id, body: "y" }));
    await hostSocket.ask("room:mute_chat", inRoom({ user_id: ada.id, minutes: 5 }));
    expect([codeOf(await say()), codeOf(await edit())]).to.deep.equal(["FORBIDDEN", "FORBIDDEN"]);

    await hostSocket.ask("room:mute_chat", inRoom({ user_id: ada.id, minutes: 0 }));
    expect([(await say()).success, (await edit()).success]).to.deep.equal([true, true]);
  });

  it("doesn't show a user as speaking while their seat is muted", async () => {
    await hostSocket.ask("seat:invite", inRoom({ user_id: ada.id, seat_no: 4 }));
    expect((await adaSocket.inbox.next("seat:invited")).by.id).to.equal(room.host.id);
    await adaSocket.ask("seat:accept_invite", inRoom());

    const muted = await hostSocket.ask("seat:mute", inRoom({ seat_no: 4, muted: true }));
    const audio = await adaSocket.ask("audio:state", inRoom({ muted: false, speaking: true }));

    expect(muted.data.seats[3]).to.include({ muted_by_host: true });
    expect(audio.data.seats[3].speaking).to.equal(false);
  });

  describe("whose seated member was speaking when their connection dropped", () => {
    const seatOfAda = async () => {
      const { body } = await service.call("get", `/rooms/${room.id}`, { token: room.host.token });
      return body.data.seats[1];
    };
    const isShownOnline = () => hostSocket.inbox.of("room:member_updated").at(-1)?.member.user.is_online;
    beforeEach(async () => {
      await hostSocket.ask("seat:invite", inRoom({ user_id: ada.id }));
      await adaSocket.ask("seat:accept_invite", inRoom());
      const audio = await adaSocket.ask("audio:state", inRoom({ muted: false, speaking: true }));
      expect(audio.data.seats[1].speaking).to.equal(true);

      adaSocket.close();
      await until("the member is shown as offline", () => isShownOnline() === false);
    });

    it("keeps the seat, and no longer shows the member as speaking", async () => {
      const { user, ...seat } = await seatOfAda();

      expect(user.id).to.equal(ada.id);
      expect(seat).to.deep.include({ speaking: false, muted: false });
    });

    it("gives the seat back to a member who reconnects", async () => {
      adaSocket = await enter(ada);

      await until("the member is shown as online", isShownOnline);
      expect((await seatOfAda()).user.id).to.equal(ada.id);
      expect(hostSocket.inbox.of("room:participant_left")).to.deep.equal([]);
    });

    it("removes the member after the grace period", async () => {
      time.forward(31_000);

      const left = await hostSocket.inbox.next("room:participant_left");
      expect(left).to.include({ user_id: ada.id, reason: "disconnected" });
    });
  });

  describe("that a user joined only by REST", () => {
    let grace: BuiltUser;
    beforeEach(async () => {
      grace = await buildUser();
      await service.call("post", `/rooms/${room.id}/join`, { token: grace.token, body: {} });
    });

    it("keeps the user for 120 s without a connection", async () => {
      time.forward(119_000);

      const { body } = await service.call("get", `/rooms/${room.id}`, { token: ada.token });
      expect(body.data.member_count).to.equal(3);
    });

    it("removes the user after that", async () => {
      time.forward(121_000);

      await hostSocket.inbox.next("room:participant_left", ({ user_id }) => user_id === grace.id);
    });
  });

  describe("whose member joins another room", () => {
    beforeEach(async () => {
      const other = await buildRoom();
      await adaSocket.ask("room:join", { room_id: other.id });
    });

    it("announces that the member has moved", async () => {
      const left = await hostSocket.inbox.next("room:participant_left");

      expect(left).to.include({ user_id: ada.id, reason: "moved" });
    });

    it("no longer accepts messages of that user", async () => {
      await hostSocket.inbox.next("room:participant_left");

      const late = await adaSocket.ask("room:message", inRoom({ body: "still here?" }));

      expect(codeOf(late)).to.equal("NOT_A_MEMBER");
    });
  });

  for (const when of ["after", "before"])
    it(`frees the seat of a user who joins another room ${when} its actor is created again`, async () => {
      const other = await buildRoom();
      const moveToOther = () => adaSocket.ask("room:join", { room_id: other.id });
      await hostSocket.ask("seat:invite", inRoom({ user_id: ada.id }));
      await adaSocket.ask("seat:accept_invite", inRoom());

      await query("UPDATE room_states SET epoch = epoch + 1 WHERE room_id = $1", [room.id]);
      if (when === "before") await moveToOther();
      hostSocket = await connectSocket(service.url, room.host.token);
      await until(
        "there is a new actor",
        async () => (await hostSocket.ask("seat:lock", inRoom({ seat_no: 8, locked: true }))).success,
      );
      await hostSocket.ask("room:join", inRoom());
      if (when === "after") await moveToOther();

      await until("the seat is free", async () => {
        const { body } = await service.call("get", `/rooms/${room.id}`, { token: room.host.token });
        return body.data.seats[1].user === null;
      });
      const { body } = await service.call("get", `/rooms/${other.id}`, { token: ada.token });
      expect(body.data.my_role).to.equal("member");
    });

  it("removes a user later who moved while it was unreachable", async () => {
    const other = await buildRoom();
    const { directory } = engine();
    const { callIfAlive } = directory;
    let refused = 0;
    directory.callIfAlive = (async (...asked: Parameters<typeof callIfAlive>) => {
      if ((asked[2] as Command).action !== "user:moved" || refused > 0) return callIfAlive.apply(directory, asked);
      refused += 1;
      return { ok: false, code: "ENGINE_UNAVAILABLE", message: "planted" };
    }) as typeof callIfAlive;

    try {
      const moved = await adaSocket.ask("room:join", { room_id: other.id });
      const left = await hostSocket.inbox.next("room:participant_left");

      expect(moved.success).to.equal(true);
      expect(left).to.include({ user_id: ada.id, reason: "moved" });
      expect(refused).to.equal(1);
    } finally {
      directory.callIfAlive = callIfAlive;
    }
  });

  it("returns the events that a client has missed", async () => {
    const { data } = await adaSocket.ask("room:join", inRoom());
    await hostSocket.ask("room:message", inRoom({ body: "one" }));
    await hostSocket.ask("seat:lock", inRoom({ seat_no: 7, locked: true }));

    const missed = await adaSocket.ask("room:sync", inRoom({ since_seq: data.seq }));

    const names = missed.data.events.map(({ event }: { event: string }) => event);
    expect(names).to.deep.equal(["room:new_message", "room:seats_updated"]);
  });

  it("returns the whole room to a client that has missed too much", async () => {
    const whole = await adaSocket.ask("room:sync", inRoom({ since_seq: 12 }));

    expect(whole.data.room.id).to.equal(room.id);
  });

  it("rejects a second seat request while one is pending", async () => {
    await adaSocket.ask("seat:request", inRoom());

    expect(codeOf(await adaSocket.ask("seat:request", inRoom()))).to.equal("REQUEST_ALREADY_PENDING");
  });

  it("lets seat requests expire after five minutes", async () => {
    await adaSocket.ask("seat:request", inRoom());

    time.forward(5 * 60_000 + 1000);

    const { request } = await hostSocket.inbox.next(
      "room:seat_request_updated",
      (one) => one.request.status === "expired",
    );
    const late = await hostSocket.ask("seat:approve", inRoom({ request_id: request.id }));
    expect(codeOf(late)).to.equal("REQUEST_NOT_PENDING");
  });

  const endRequest = {
    "is rejected": (request_id: string) => hostSocket.ask("seat:reject", inRoom({ request_id })),
    "is cancelled": () => adaSocket.ask("seat:cancel", inRoom()),
  };
  for (const [how, end] of Object.entries(endRequest))
    it(`keeps an invitation when a request of the invited user ${how}`, async () => {
      const { data: request } = await adaSocket.ask("seat:request", inRoom());
      await hostSocket.ask("seat:invite", inRoom({ user_id: ada.id, seat_no: 4 }));

      const ended = await end(request.id);
      const accepted = await adaSocket.ask("seat:accept_invite", inRoom());

      expect(ended.success).to.equal(true);
      expect(accepted.data?.seats[3].user.id).to.equal(ada.id);
    });
});
