import { expect } from "chai";
import type { Member } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { eraseRooms } from "#shared/domain/rooms/erase-rooms.ts";
import { closeClients, connectSocket, joinNative, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import type { Command } from "../../core/command.ts";
import { engine } from "../../engine.ts";

describe("a voice room", () => {
  const service = useService();
  const time = useClock();
  let room: BuiltRoom;
  let ada: BuiltUser;
  let hostSocket: SocketClient;
  let adaSocket: SocketClient;

  const enter = async (user: BuiltUser): Promise<SocketClient> => {
    const client = await connectSocket(service.url, user.token);
    const joined = await client.ask("room:join", { room_id: room.id });
    expect(joined.success, JSON.stringify(joined.error)).to.equal(true);
    return client;
  };
  const code = (envelope: { error?: { code: string } }) => envelope.error?.code;
  const inRoom = (more: object = {}) => ({ room_id: room.id, ...more });

  beforeEach(async () => {
    room = await buildRoom();
    ada = await buildUser({ full_name: "Ada" });
    hostSocket = await enter(room.host);
    adaSocket = await enter(ada);
  });
  afterEach(closeClients);

  it("puts the host on seat 1 and shows everybody who comes", async () => {
    const joined = await hostSocket.inbox.next("room:participant_joined", ({ member }) => member.user.id === ada.id);
    expect(joined).to.deep.include({ room_id: room.id, member_count: 2 });
    expect(joined.member).to.deep.include({ role: "member", seat_no: null });
    const seats = await hostSocket.inbox.next("room:seats_updated");
    expect(seats.seats[0].user.id).to.equal(room.host.id);
    const view = await service.call("get", `/rooms/${room.id}`, { token: ada.token });
    expect(view.body.data).to.include({ member_count: 2, seated_count: 1, my_role: "member" });
    expect(view.body.data.seq).to.be.a("number");
  });

  it("seats a requester whom the host approves, over any transport, and notifies each listener once", async () => {
    const native = await joinNative(service.url, (await buildUser()).token, { room_id: room.id });
    const asked = await service.call("post", `/rooms/${room.id}/seat-request`, {
      token: ada.token,
      body: { seat_no: 3 },
    });
    expect(asked.status).to.equal(201);
    const { request } = await hostSocket.inbox.next("room:seat_requested");
    expect(request).to.deep.include({ id: asked.body.data.id, status: "pending", seat_no: 3 });
    const approved = await hostSocket.ask("seat:approve", inRoom({ request_id: request.id }));
    expect(approved.data.status).to.equal("approved");
    const fits = ({ seats }: { seats: { user: { id: string } | null }[] }) => seats[2]?.user?.id === ada.id;
    for (const client of [hostSocket, adaSocket, native]) await client.inbox.next("room:seats_updated", fits);
    await until("the native state follows", () => native.room.state.seats[2]?.user_id === ada.id);
    for (const client of [hostSocket, adaSocket, native])
      expect(client.inbox.of("room:seats_updated").filter(fits)).to.have.length(1);
    const pending = await service.call("get", `/rooms/${room.id}/seat-requests`, { token: room.host.token });
    expect(pending.body.data).to.deep.equal([]);
    const left = await adaSocket.ask("seat:leave", inRoom());
    expect(left.data.seats[2].user).to.equal(null);
  });

  it("gives the last seat to one of two who race for it", async () => {
    const rivals = await Promise.all([buildUser(), buildUser()]);
    const sockets = await Promise.all(rivals.map(enter));
    const requests = await Promise.all(sockets.map((socket) => socket.ask("seat:request", inRoom({ seat_no: 5 }))));
    const answers = await Promise.all(
      requests.map(({ data }) => hostSocket.ask("seat:approve", inRoom({ request_id: data.id }))),
    );
    expect(answers.every(({ success }) => success)).to.equal(true);
    const { body } = await service.call("get", `/rooms/${room.id}`, { token: ada.token });
    const seated = body.data.seats.flatMap((seat: { user: { id: string } | null }) => seat.user?.id ?? []);
    expect(new Set(seated).size).to.equal(3);
    const late = await Promise.all([buildUser(), buildUser()]);
    const lateSockets = await Promise.all(late.map(enter));
    for (const { id } of late) await hostSocket.ask("seat:invite", inRoom({ user_id: id, seat_no: 8 }));
    const taken = await Promise.all(lateSockets.map((socket) => socket.ask("seat:accept_invite", inRoom())));
    expect(taken.map((answer) => code(answer) ?? "ok").sort()).to.deep.equal(["SEAT_TAKEN", "ok"]);
  });

  it("rejects actions beyond the caller's role", async () => {
    const eve = await buildUser();
    const eveSocket = await connectSocket(service.url, eve.token);
    expect(code(await eveSocket.ask("room:message", inRoom({ body: "hi" })))).to.equal("NOT_A_MEMBER");
    expect(code(await eveSocket.ask("seat:request", inRoom()))).to.equal("NOT_A_MEMBER");
    expect(code(await adaSocket.ask("seat:lock", inRoom({ seat_no: 2, locked: true })))).to.equal("FORBIDDEN");
    expect(code(await adaSocket.ask("room:kick", inRoom({ user_id: room.host.id })))).to.equal("FORBIDDEN");
    const made = await hostSocket.ask("room:role", inRoom({ user_id: ada.id, role: "moderator" }));
    expect(made.data.member.role).to.equal("moderator");
    expect((await adaSocket.ask("seat:lock", inRoom({ seat_no: 2, locked: true }))).success).to.equal(true);
    expect(code(await adaSocket.ask("room:kick", inRoom({ user_id: room.host.id })))).to.equal("FORBIDDEN");
    expect(code(await adaSocket.ask("room:role", inRoom({ user_id: eve.id, role: "moderator" })))).to.equal(
      "FORBIDDEN",
    );
    const other = await service.call("get", `/rooms/${room.id}/messages`, { token: eve.token });
    expect(other.body.error.code).to.equal("NOT_A_MEMBER");
  });

  it("stores chat before it acknowledges, keeps its order, and takes a repeated client_id once", async () => {
    const bodies = Array.from({ length: 20 }, (_, index) => `message ${index}`);
    const answers = await Promise.all(
      bodies.map((body, index) => adaSocket.ask("room:message", inRoom({ body, client_id: `c${index}` }))),
    );
    const again = await adaSocket.ask("room:message", inRoom({ body: "message 3", client_id: "c3" }));
    expect(again.data.id).to.equal(answers[3].data.id);
    await hostSocket.inbox.next("room:new_message", ({ message }) => message.body === "message 19");
    const pushed = hostSocket.inbox.of("room:new_message").map(({ message }) => message.body);
    expect(pushed).to.deep.equal(bodies);
    expect(adaSocket.inbox.of("room:new_message")[4].message.client_id).to.equal("c4");
    const seqs = hostSocket.inbox.all.map(({ payload }) => payload.seq).filter(Boolean);
    expect(seqs).to.deep.equal(seqs.map((_, index) => seqs[0] + index));
    const page = await service.call("get", `/rooms/${room.id}/messages?limit=15`, { token: ada.token });
    expect(page.body.data.items).to.have.length(15);
    const rest = await service.call("get", `/rooms/${room.id}/messages?before=${page.body.data.next_before}`, {
      token: ada.token,
    });
    const stored = [...page.body.data.items, ...rest.body.data.items].map(({ body }: { body: string }) => body);
    expect(stored).to.deep.equal(bodies.toReversed());
    expect(rest.body.data.next_before).to.equal(null);
  });

  it("lets an invited member take the seat that they choose, unless the invitation names one", async () => {
    await hostSocket.ask("seat:invite", inRoom({ user_id: ada.id, seat_no: 4 }));
    expect(code(await adaSocket.ask("seat:accept_invite", inRoom({ seat_no: 5 })))).to.equal("REQUEST_NOT_PENDING");
    await hostSocket.ask("seat:invite", inRoom({ user_id: ada.id }));
    const { data } = await adaSocket.ask("seat:accept_invite", inRoom({ seat_no: 6 }));
    expect(data.seats[5].user.id).to.equal(ada.id);
  });

  it("keeps a kicked person out for as long as the ban says", async () => {
    const kicked = await hostSocket.ask("room:kick", inRoom({ user_id: ada.id, ban_minutes: 5, reason: "noise" }));
    expect(kicked.success).to.equal(true);
    const told = await adaSocket.inbox.next("room:kicked");
    expect(told).to.include({ room_id: room.id, reason: "noise" });
    expect(Date.parse(told.banned_until)).to.be.greaterThan(Date.now() + 4 * 60_000);
    const left = await hostSocket.inbox.next("room:participant_left");
    expect(left).to.include({ user_id: ada.id, reason: "kicked", member_count: 1 });
    expect(code(await adaSocket.ask("room:join", inRoom()))).to.equal("BANNED_FROM_ROOM");
    await hostSocket.ask("room:message", inRoom({ body: "after the kick" }));
    expect(adaSocket.inbox.of("room:new_message")).to.deep.equal([]);
    const bans = await service.call("get", `/rooms/${room.id}/bans`, { token: room.host.token });
    expect(bans.body.data.items[0]).to.deep.include({ reason: "noise" });
    await service.call("delete", `/rooms/${room.id}/bans?user_id=${ada.id}`, { token: room.host.token });
    expect((await adaSocket.ask("room:join", inRoom())).success).to.equal(true);
  });

  it("mutes chat and voice, and deletes messages", async () => {
    const sent = await adaSocket.ask("room:message", inRoom({ body: "rude" }));
    const removed = await service.call("delete", `/rooms/${room.id}/messages/${sent.data.id}`, {
      token: room.host.token,
    });
    expect(removed.status).to.equal(200);
    expect(await adaSocket.inbox.next("room:message_deleted")).to.include({ message_id: sent.data.id });
    await hostSocket.ask("room:mute_chat", inRoom({ user_id: ada.id, minutes: 5 }));
    expect(code(await adaSocket.ask("room:message", inRoom({ body: "x" })))).to.equal("FORBIDDEN");
    await hostSocket.ask("room:mute_chat", inRoom({ user_id: ada.id, minutes: 0 }));
    expect((await adaSocket.ask("room:message", inRoom({ body: "x" }))).success).to.equal(true);
    await hostSocket.ask("seat:invite", inRoom({ user_id: ada.id, seat_no: 4 }));
    expect((await adaSocket.inbox.next("seat:invited")).by.id).to.equal(room.host.id);
    await adaSocket.ask("seat:accept_invite", inRoom());
    const muted = await hostSocket.ask("seat:mute", inRoom({ seat_no: 4, muted: true }));
    expect(muted.data.seats[3]).to.include({ muted_by_host: true });
    const audio = await adaSocket.ask("audio:state", inRoom({ muted: false, speaking: true }));
    expect(audio.data.seats[3].speaking).to.equal(false);
  });

  it("keeps a dropped person's seat for the grace, then frees it", async () => {
    await hostSocket.ask("seat:invite", inRoom({ user_id: ada.id }));
    await adaSocket.ask("seat:accept_invite", inRoom());
    const isSeen = () => hostSocket.inbox.of("room:member_updated").at(-1)?.member.user.is_online;
    const audio = await adaSocket.ask("audio:state", inRoom({ muted: false, speaking: true }));
    expect(audio.data.seats[1].speaking).to.equal(true);
    adaSocket.close();
    await until("the room knows", () => isSeen() === false);
    const quiet = await service.call("get", `/rooms/${room.id}`, { token: room.host.token });
    expect(quiet.body.data.seats[1]).to.deep.include({ speaking: false, muted: false });
    adaSocket = await enter(ada);
    await until("she is back", isSeen);
    const view = await service.call("get", `/rooms/${room.id}`, { token: ada.token });
    expect(view.body.data.seats[1].user.id).to.equal(ada.id);
    adaSocket.close();
    await until("the room knows again", () => isSeen() === false);
    expect(hostSocket.inbox.of("room:participant_left")).to.deep.equal([]);
    time.forward(31_000);
    const left = await hostSocket.inbox.next("room:participant_left");
    expect(left).to.include({ user_id: ada.id, reason: "disconnected" });
  });

  it("gives a member by REST alone 120 s to connect", async () => {
    const grace = await buildUser();
    await service.call("post", `/rooms/${room.id}/join`, { token: grace.token, body: {} });
    time.forward(60_000);
    const still = await service.call("get", `/rooms/${room.id}`, { token: ada.token });
    expect(still.body.data.member_count).to.equal(3);
    time.forward(61_000);
    await hostSocket.inbox.next("room:participant_left", ({ user_id }) => user_id === grace.id);
  });

  it("lets a person be live in one room at a time", async () => {
    const other = await buildRoom();
    await adaSocket.ask("room:join", { room_id: other.id });
    const left = await hostSocket.inbox.next("room:participant_left");
    expect(left).to.include({ user_id: ada.id, reason: "moved" });
    expect(code(await adaSocket.ask("room:message", inRoom({ body: "still here?" })))).to.equal("NOT_A_MEMBER");
  });

  for (const when of ["after", "before"])
    it(`lets go of a seated user who joins another room ${when} its actor is made again`, async () => {
      const other = await buildRoom();
      await hostSocket.ask("seat:invite", inRoom({ user_id: ada.id }));
      await adaSocket.ask("seat:accept_invite", inRoom());
      await query("UPDATE room_states SET epoch = epoch + 1 WHERE room_id = $1", [room.id]);
      if (when === "before") await adaSocket.ask("room:join", { room_id: other.id });
      hostSocket = await connectSocket(service.url, room.host.token);
      await until(
        "there is a new actor",
        async () => (await hostSocket.ask("seat:lock", inRoom({ seat_no: 8, locked: true }))).success,
      );
      await hostSocket.ask("room:join", inRoom());
      if (when === "after") await adaSocket.ask("room:join", { room_id: other.id });
      await until("she has stood up", async () => {
        const { body } = await service.call("get", `/rooms/${room.id}`, { token: room.host.token });
        return body.data.seats[1].user === null;
      });
      const { body } = await service.call("get", `/rooms/${other.id}`, { token: ada.token });
      expect(body.data.my_role).to.equal("member");
    });

  it("lets go later of who moved while it was out of reach", async () => {
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
      expect((await adaSocket.ask("room:join", { room_id: other.id })).success).to.equal(true);
      const left = await hostSocket.inbox.next("room:participant_left");
      expect(left).to.include({ user_id: ada.id, reason: "moved" });
      expect(refused).to.equal(1);
    } finally {
      directory.callIfAlive = callIfAlive;
    }
  });

  it("replays what was missed, and gives the whole room when that is too much", async () => {
    const { data } = await adaSocket.ask("room:join", inRoom());
    await hostSocket.ask("room:message", inRoom({ body: "one" }));
    await hostSocket.ask("seat:lock", inRoom({ seat_no: 7, locked: true }));
    const missed = await adaSocket.ask("room:sync", inRoom({ since_seq: data.seq }));
    expect(missed.data.events.map(({ event }: { event: string }) => event)).to.deep.equal([
      "room:new_message",
      "room:seats_updated",
    ]);
    const whole = await adaSocket.ask("room:sync", inRoom({ since_seq: 12 }));
    expect(whole.data.room.id).to.equal(room.id);
  });

  it("repeats no message that was deleted, and nothing from before a member joined", async () => {
    const { data } = await adaSocket.ask("room:join", inRoom());
    const said = await hostSocket.ask("room:message", inRoom({ body: "a slip of the tongue" }));
    await hostSocket.ask("room:message", inRoom({ body: "Good evening!" }));
    const message_id = said.data.id;
    await hostSocket.ask("message:delete", inRoom({ message_id }));

    const missed = await adaSocket.ask("room:sync", inRoom({ since_seq: data.seq }));
    const events = missed.data.events.map(({ event, payload }: { event: string; payload: { seq: number } }) => [
      event,
      payload.seq - data.seq,
    ]);
    expect(events).to.deep.equal([
      ["room:message_deleted", 1],
      ["room:new_message", 2],
      ["room:message_deleted", 3],
    ]);
    expect(missed.data.events[0].payload).to.include({ message_id, by: room.host.id });
    expect(JSON.stringify(missed)).not.to.include("slip of the tongue");

    const grace = await enter(await buildUser());
    const before = await grace.ask("room:sync", inRoom({ since_seq: data.seq }));
    expect(before.data).to.have.property("room");
  });

  it("repeats nothing of an erased user but their ID", async () => {
    const zoe = await buildUser({ full_name: "Zoe the Canary" });
    const { data } = await adaSocket.ask("room:join", inRoom());
    const zoeSocket = await enter(zoe);
    await zoeSocket.ask("room:message", inRoom({ body: "The Canary sings" }));
    await zoeSocket.ask("seat:request", inRoom({ seat_no: 4 }));
    await hostSocket.ask("seat:invite", inRoom({ user_id: zoe.id }));
    await zoeSocket.ask("seat:accept_invite", inRoom());
    await zoeSocket.ask("room:leave", inRoom());
    const replay = async () => JSON.stringify(await adaSocket.ask("room:sync", inRoom({ since_seq: data.seq })));
    expect(await replay())
      .to.include("Zoe the Canary")
      .and.to.include("The Canary sings");

    await query("UPDATE users SET status = 'deleted', full_name = '', username = 'deleted_1' WHERE id = $1", [zoe.id]);
    await inTransaction((tx) => eraseRooms(tx, zoe.id));
    expect(await replay())
      .to.include(zoe.id)
      .and.not.to.include("Canary")
      .and.not.to.include(zoe.username);
  });

  it("lets seat requests expire after five minutes", async () => {
    await adaSocket.ask("seat:request", inRoom());
    expect(code(await adaSocket.ask("seat:request", inRoom()))).to.equal("REQUEST_ALREADY_PENDING");
    time.forward(5 * 60_000 + 1000);
    const { request } = await hostSocket.inbox.next("room:seat_requested", (one) => one.request.status === "expired");
    expect(code(await hostSocket.ask("seat:approve", inRoom({ request_id: request.id })))).to.equal(
      "REQUEST_NOT_PENDING",
    );
  });

  it("lets an invitation stand when a request of the invited is turned down or taken back", async () => {
    for (const end of ["seat:reject", "seat:cancel"]) {
      const { data: request } = await adaSocket.ask("seat:request", inRoom());
      await hostSocket.ask("seat:invite", inRoom({ user_id: ada.id, seat_no: 4 }));
      const ended =
        end === "seat:reject"
          ? await hostSocket.ask(end, inRoom({ request_id: request.id }))
          : await adaSocket.ask(end, inRoom());
      expect(ended.success).to.equal(true);
      const { data } = await adaSocket.ask("seat:accept_invite", inRoom());
      expect(data?.seats[3].user.id, end).to.equal(ada.id);
      await adaSocket.ask("seat:leave", inRoom());
    }
  });

  const members = async (): Promise<Member[]> =>
    (await service.call("get", `/rooms/${room.id}`, { token: ada.token })).body.data.members;
  const idsOf = (some: Member[]) => some.map(({ user }) => user.id);

  it("shows who is connected to it, over any transport, and who is online without hiding it", async () => {
    const [nat, rest, shy] = [await buildUser(), await buildUser(), await buildUser()];
    const hide = { token: shy.token, body: { privacy: { show_online: false } } };
    await service.call("patch", "/users/me/settings", hide);
    await joinNative(service.url, nat.token, { room_id: room.id });
    await service.call("post", `/rooms/${room.id}/join`, { token: rest.token, body: {} });
    await enter(shy);
    const [all, online] = [
      [room.host.id, ada.id, nat.id, rest.id, shy.id],
      [room.host.id, ada.id, nat.id],
    ];
    expect(idsOf(await members())).to.deep.equal(all);
    expect(idsOf((await members()).filter(({ connected }) => connected))).to.deep.equal([...online, shy.id]);
    expect(idsOf((await members()).filter(({ user }) => user.is_online))).to.deep.equal(online);
    await enter(rest);
    expect(idsOf((await members()).filter(({ user }) => user.is_online))).to.deep.equal([...online, rest.id]);
    hostSocket.close();
    const seen = ({ member }: { member: Member }) => member.user.id === room.host.id && !member.connected;
    expect((await adaSocket.inbox.next("room:member_updated", seen)).member.user.is_online).to.equal(false);
  });

  it("sends its events to the open sockets of the session that joins by REST, and to no others", async () => {
    const rest = await buildUser();
    const own = await connectSocket(service.url, rest.token);
    const login = { body: { identifier: rest.username, password: rest.password } };
    const { accessToken } = (await service.call("post", "/auth/login", login)).body.data;
    const other = await connectSocket(service.url, accessToken);
    await service.call("post", `/rooms/${room.id}/join`, { token: rest.token, body: {} });
    const connection = (connected: boolean) => (payload: { member: Member }) =>
      payload.member.user.id === rest.id && payload.member.connected === connected;
    await hostSocket.inbox.next("room:member_updated", connection(true));
    await hostSocket.ask("room:message", inRoom({ body: "Welcome!" }));
    await own.inbox.next("room:new_message");
    expect((await other.ask("room:message", inRoom({ body: "Thanks!" }))).success).to.equal(true);
    expect(other.inbox.of("room:new_message")).to.deep.equal([]);
    own.close();
    await hostSocket.inbox.next("room:member_updated", connection(false));
  });

  it("shows its host's presence also while they are away", async () => {
    await hostSocket.ask("room:leave", inRoom());
    await service.call("patch", "/users/me", { token: room.host.token, body: { full_name: "Grace Hopper" } });
    const seen = await service.call("get", `/rooms/${room.id}`, { token: ada.token });
    expect(seen.body.data.host).to.include({ full_name: "Grace Hopper", is_online: true });
    hostSocket.close();
    await until("the user is shown as gone", async () => {
      const { body } = await service.call("get", `/rooms/${room.id}`, { token: ada.token });
      return !body.data.host.is_online;
    });
  });

  it("closes for everybody, and stays closed", async () => {
    const native = await joinNative(service.url, (await buildUser()).token, { room_id: room.id });
    expect((await service.call("delete", `/rooms/${room.id}`, { token: ada.token })).body.error.code).to.equal(
      "FORBIDDEN",
    );
    const closed = await service.call("delete", `/rooms/${room.id}`, { token: room.host.token });
    expect(closed.body.data.status).to.equal("closed");
    for (const client of [hostSocket, adaSocket, native])
      expect(await client.inbox.next("room:closed")).to.include({ room_id: room.id });
    await native.inbox.next("leave");
    const told = hostSocket.inbox.all.filter(({ event }) => event.startsWith("room:")).slice(-4);
    expect(told.map(({ event, payload }) => [event, payload.reason, payload.member_count])).to.deep.equal([
      ["room:participant_left", "closed", 2],
      ["room:participant_left", "closed", 1],
      ["room:participant_left", "closed", 0],
      ["room:closed", "closed by the host", undefined],
    ]);
    expect(code(await adaSocket.ask("room:join", inRoom()))).to.equal("ROOM_CLOSED");
    const view = await service.call("get", `/rooms/${room.id}`, { token: ada.token });
    expect(view.body.data).to.deep.include({ status: "closed", members: [], seats: [] });
  });

  it("is closed by an administrator, with an entry in the audit log", async () => {
    const admin = adminCaller();
    const command = { principal: admin, action: "room:close", input: { reason: "spam" } } as const;
    expect((await engine().directory.call("voice_room", room.id, command)).ok).to.equal(true);
    expect(await adaSocket.inbox.next("room:closed")).to.include({ reason: "spam" });
    expect(
      await query("SELECT action, principal_id, reason FROM audit_log WHERE target_id = $1", [room.id]),
    ).to.deep.equal([{ action: "room.close", principal_id: admin.adminId, reason: "spam" }]);
  });

  it("asks for the password of a room that has one", async () => {
    const secret = await buildRoom({ password: "open sesame", is_private: true });
    const ask = (password?: string) =>
      adaSocket.ask("room:join", { room_id: secret.id, ...(password && { password }) });
    expect(code(await ask())).to.equal("ROOM_PASSWORD_REQUIRED");
    expect(code(await ask("wrong"))).to.equal("ROOM_PASSWORD_INCORRECT");
    const outside = await service.call("get", `/rooms/${secret.id}`, { token: ada.token });
    expect(outside.body.data).to.deep.include({ members: [], seats: [], my_role: null });
    expect((await ask("open sesame")).success).to.equal(true);
    const native = joinNative(service.url, (await buildUser()).token, { room_id: secret.id });
    const failure = await native.then(
      () => undefined,
      (error: Error) => error,
    );
    expect(failure?.message).to.contain("ROOM_PASSWORD_REQUIRED");
  });

  it("limits wrong passwords, whatever the connection", async () => {
    const secret = await buildRoom({ password: "open sesame" });
    const guesser = await buildUser();
    const sockets = await Promise.all([1, 2].map(() => connectSocket(service.url, guesser.token)));
    const ask = (client: SocketClient | undefined, password: string) =>
      client!.ask("room:join", { room_id: secret.id, password });
    const context = engine() as { rateLimits: boolean };
    context.rateLimits = true;
    try {
      const guesses = Array.from({ length: 12 }, (_, index) => ask(sockets[index % 2], `guess ${index}`));
      const codes = (await Promise.all(guesses)).map(code);
      expect(codes.filter((one) => one === "ROOM_PASSWORD_INCORRECT")).to.have.length(10);
      expect(codes.filter((one) => one === "RATE_LIMITED")).to.have.length(2);
      expect(code(await ask(sockets[0], "open sesame"))).to.equal("RATE_LIMITED");
      for (let times = 0; times < 12; times += 1) {
        expect((await ask(adaSocket, "open sesame")).success).to.equal(true);
        expect((await adaSocket.ask("room:leave", { room_id: secret.id })).success).to.equal(true);
      }
    } finally {
      context.rateLimits = false;
    }
  });

  it("changes while people are in it", async () => {
    const patched = await service.call("patch", `/rooms/${room.id}`, {
      token: room.host.token,
      body: { name: "Early birds", seat_count: 4 },
    });
    expect(patched.body.data).to.include({ name: "Early birds", seat_count: 4 });
    expect((await adaSocket.inbox.next("room:updated")).room.name).to.equal("Early birds");
    const { seats } = await adaSocket.inbox.next("room:seats_updated", (event) => event.seats.length === 4);
    expect(seats).to.have.length(4);
    const refused = await service.call("patch", `/rooms/${room.id}`, { token: ada.token, body: { name: "Mine" } });
    expect(refused.body.error.code).to.equal("FORBIDDEN");
  });
});
