import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import {
  closeClients,
  connectSocket,
  joinNative,
  type NativeTestClient,
  type SocketClient,
} from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

interface Person extends BuiltUser {
  socket: SocketClient;
  native: NativeTestClient;
}

const devicesOf = (...people: Person[]) => people.flatMap(({ socket, native }) => [socket, native]);

describe("a conversation", () => {
  const service = useService();
  afterEach(closeClients);

  const open = ({ token }: BuiltUser, peer: { id: string }) =>
    service.call("post", "/conversations", { token, body: { peer_id: peer.id } });
  const say = ({ token }: BuiltUser, id: string, body: object | string) =>
    service.call("post", `/conversations/${id}/messages`, { token, body: typeof body === "string" ? { body } : body });
  const read = ({ token }: BuiltUser, id: string) => service.call("post", `/conversations/${id}/read`, { token });
  const history = ({ token }: BuiltUser, id: string, parameters = "") =>
    service.call("get", `/conversations/${id}/messages${parameters}`, { token });
  const inbox = async ({ token }: BuiltUser) => (await service.call("get", "/conversations", { token })).body.data;

  /** A user with two devices: one over Socket.IO, and a native one in a separate room. */
  async function person(): Promise<Person> {
    const [user, room] = await Promise.all([buildUser(), buildRoom()]);
    const socket = await connectSocket(service.url, user.token);
    return { ...user, socket, native: await joinNative(service.url, user.token, { room_id: room.id }) };
  }

  async function scene(): Promise<{ ada: Person; bob: Person; id: string }> {
    const [ada, bob] = await Promise.all([person(), person()]);
    return { ada, bob, id: (await open(ada, bob)).body.data.id };
  }

  /** Waits until every device has a message of this body: what was pushed before it is there too. */
  const settled = (people: Person[], body: string) =>
    Promise.all(devicesOf(...people).map(({ inbox }) => inbox.next("dm:new", ({ message }) => message.body === body)));

  it("opens one conversation for two users: 201, then 200 for both", async () => {
    const [ada, bob] = await Promise.all([buildUser(), buildUser()]);
    const made = await open(ada, bob);
    expect([made.status, made.body.data.peer.id, made.body.data.last_message]).to.deep.equal([201, bob.id, null]);
    for (const again of [await open(ada, bob), await open(bob, ada)])
      expect([again.status, again.body.data.id]).to.deep.equal([200, made.body.data.id]);
    expect((await open(ada, ada)).body.error.code).to.equal("FORBIDDEN");
    expect((await open(ada, { id: newId() })).body.error.code).to.equal("NOT_FOUND");
  });

  it("notifies every connection of both users of a message and of its being read, once, over both transports", async () => {
    const { ada, bob, id } = await scene();
    const attachment_url = "https://cdn.example.com/photo.jpg";
    const sent = await say(ada, id, { body: "Good evening!", attachment_url, client_id: "c-1" });
    expect(sent.status).to.equal(201);
    expect(sent.body.data).to.deep.include({ sender_id: ada.id, attachment_url, client_id: "c-1", read_at: null });
    expect((await inbox(bob)).items[0]).to.deep.include({ id, unread: 1 });
    await settled([ada, bob], "Good evening!");
    const marked = await read(bob, id);
    expect([marked.status, marked.body.data.unread]).to.deep.equal([200, 0]);
    expect((await read(bob, id)).body.data.unread).to.equal(0);
    await say(bob, id, "Evening.");
    await settled([ada, bob], "Evening.");
    const [stored] = (await history(ada, id, "?page=2&limit=1")).body.data.items;
    for (const { inbox } of devicesOf(ada, bob)) {
      expect(inbox.of("dm:new")[0]).to.deep.equal({ conversation_id: id, message: sent.body.data });
      expect(inbox.of("dm:new")).to.have.length(2);
      expect(inbox.of("dm:read")).to.deep.equal([{ conversation_id: id, reader_id: bob.id, read_at: stored.read_at }]);
    }
    expect((await inbox(ada)).items[0]).to.deep.include({ unread: 1 });
    expect((await inbox(ada)).items[0].last_message).to.deep.include({ body: "Evening.", read_at: null });
  });

  it("stores a message with a repeated client_id once, and pushes it once", async () => {
    const { ada, bob, id } = await scene();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => say(ada, id, { body: "Once", client_id: "c-7" })),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([...Array(7).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).to.equal(1);
    await say(ada, id, "End");
    await settled([ada, bob], "End");
    for (const { inbox } of devicesOf(ada, bob))
      expect(inbox.of("dm:new").map(({ message }) => message.body)).to.deep.equal(["Once", "End"]);
    expect((await inbox(bob)).items[0].unread).to.equal(2);
  });

  it("pushes concurrent messages of both users in the order of the history, each once, and counts them", async () => {
    const { ada, bob, id } = await scene();
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        if (index % 10 === 5) return read(bob, id);
        return say(index % 2 === 0 ? ada : bob, id, `m${index}`);
      }),
    );
    await read(bob, id);
    await say(ada, id, "End");
    await settled([ada, bob], "End");
    const { items } = (await history(ada, id)).body.data;
    const stored = items.map((message: { id: string }) => message.id).reverse();
    expect(stored).to.have.length(28);
    for (const { inbox } of devicesOf(ada, bob))
      expect(inbox.of("dm:new").map(({ message }) => message.id)).to.deep.equal(stored);
    expect((await inbox(bob)).items[0].unread).to.equal(1);
    expect((await inbox(ada)).items[0].unread).to.equal(12);
  });

  it("shows typing to the peer's connections only, over either transport, and stores nothing", async () => {
    const { ada, bob, id } = await scene();
    for (const device of [ada.socket, ada.native]) {
      for (const typing of [true, false]) {
        const seen = () => devicesOf(bob).every(({ inbox }) => inbox.of("typing:dm").at(-1)?.typing === typing);
        // Again until it is seen: it may be dropped.
        await until("the peer sees it", async () => {
          const answer = await device.ask("typing:dm", { conversation_id: id, typing });
          expect(answer).to.deep.equal({ success: true, data: {} });
          return seen();
        });
      }
    }
    expect(bob.native.inbox.of("typing:dm")[0]).to.deep.equal({ conversation_id: id, user_id: ada.id, typing: true });
    await say(ada, id, "Typed");
    await settled([ada, bob], "Typed");
    for (const { inbox } of devicesOf(ada)) expect(inbox.of("typing:dm")).to.deep.equal([]);
    expect((await history(ada, id)).body.data.items).to.have.length(1);
  });

  it("rejects typing where it would reject a message, in the reply or by the event `error`", async () => {
    const { ada, bob, id } = await scene();
    const eve = await person();
    const codeOf = async (device: SocketClient | NativeTestClient, payload?: object) =>
      (await device.ask("typing:dm", payload)).error?.code;
    const typing = { conversation_id: id, typing: true };
    for (const device of devicesOf(eve)) expect(await codeOf(device, typing)).to.equal("NOT_FOUND");
    for (const device of devicesOf(ada))
      for (const payload of [undefined, {}, { ...typing, typing: "yes" }, { ...typing, room_id: newId() }])
        expect(await codeOf(device, payload), JSON.stringify(payload)).to.equal("VALIDATION_ERROR");
    await query("INSERT INTO user_blocks (blocker_id, blocked_id) VALUES ($1, $2)", [bob.id, ada.id]);
    for (const device of devicesOf(ada, bob)) expect(await codeOf(device, typing)).to.equal("BLOCKED");
    ada.socket.socket.emit("typing:dm", typing);
    ada.native.room.send("typing:dm", typing);
    for (const { inbox } of devicesOf(ada))
      expect(await inbox.next("error")).to.include({ event: "typing:dm", code: "BLOCKED" });
    for (const { inbox } of devicesOf(bob)) expect(inbox.of("typing:dm")).to.deep.equal([]);
  });

  it("lists messages by cursor or by page, newest first", async () => {
    const [ada, bob] = await Promise.all([buildUser(), buildUser()]);
    const { id } = (await open(ada, bob)).body.data;
    const sent: string[] = [];
    for (let index = 0; index < 7; index += 1) sent.unshift((await say(ada, id, `m${index}`)).body.data.id);
    const idsOf = ({ body }: { body: { data: { items: { id: string }[] } } }) => body.data.items.map((one) => one.id);
    const first = await history(bob, id, "?limit=3");
    const second = await history(bob, id, `?limit=3&before=${first.body.data.next_before}`);
    const third = await history(bob, id, `?limit=3&before=${second.body.data.next_before}`);
    expect([first, second, third].flatMap(idsOf)).to.deep.equal(sent);
    expect([first, second].map(({ body }) => body.data.next_before)).to.deep.equal([sent[2], sent[5]]);
    expect(third.body.data).to.have.property("next_before", null);
    const pages = await Promise.all([1, 2, 3, 4].map((page) => history(ada, id, `?page=${page}&limit=3`)));
    expect(pages.flatMap(idsOf)).to.deep.equal(sent);
    const { items: _items, ...paging } = pages[3]!.body.data;
    expect(paging).to.deep.equal({ page: 4, limit: 3, total: 7, total_pages: 3 });
    expect((await history(ada, id, "?page=1")).body.data.limit).to.equal(20);
    for (const parameters of ["?limit=0", "?limit=101", "?page=0", "?page=x", "?before=1"])
      expect((await history(ada, id, parameters)).body.error.code, parameters).to.equal("VALIDATION_ERROR");
  });

  it("doesn't exist for strangers, nor for users between whom a block stands", async () => {
    const { ada, bob, id } = await scene();
    const eve = await buildUser();
    await say(ada, id, "Between us");
    const codes = async (user: BuiltUser) => {
      const answers = [await history(user, id), await history(user, id, "?page=1"), await say(user, id, "Hello")];
      return [...answers, await read(user, id)].map(({ body }) => body.error?.code);
    };
    expect(new Set(await codes(eve))).to.deep.equal(new Set(["NOT_FOUND"]));
    expect((await inbox(eve)).total).to.equal(0);
    await settled([ada, bob], "Between us");
    await query("INSERT INTO user_blocks (blocker_id, blocked_id) VALUES ($1, $2)", [ada.id, bob.id]);
    for (const user of [ada, bob]) {
      expect(new Set(await codes(user))).to.deep.equal(new Set(["BLOCKED"]));
      expect((await inbox(user)).total).to.equal(0);
    }
    expect((await open(bob, ada)).body.error.code).to.equal("NOT_FOUND");
    expect((await open(ada, bob)).body.error.code).to.equal("BLOCKED");
    await query("DELETE FROM user_blocks WHERE blocker_id = $1", [ada.id]);
    await say(bob, id, "Again");
    await settled([ada, bob], "Again");
    for (const { inbox } of devicesOf(ada, bob)) expect(inbox.of("dm:new")).to.have.length(2);
  });

  for (const body of [
    {},
    { body: "" },
    { body: "  " },
    { body: 1 },
    { body: "x".repeat(1001) },
    { body: "a\u0000b" },
    { body: "Hi", attachment_url: "javascript:alert(1)" },
    { body: "Hi", attachment_url: "" },
    { body: "Hi", client_id: "" },
    { body: "Hi", client_id: "x".repeat(65) },
    { body: "Hi", sender_id: newId() },
    { body: "Hi", read_at: null },
  ])
    it(`rejects ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const [ada, bob] = await Promise.all([buildUser(), buildUser()]);
      const { id } = (await open(ada, bob)).body.data;
      const { status, body: answer } = await say(ada, id, body);
      expect([status, answer.error.code]).to.deep.equal([400, "VALIDATION_ERROR"]);
      expect((await history(ada, id)).body.data.items).to.deep.equal([]);
    });
});
