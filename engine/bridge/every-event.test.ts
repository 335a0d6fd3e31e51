import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { voiceActions } from "#shared/contracts/actions.ts";
import { type ClientEvent, clientEvents, isClientEvent } from "#shared/contracts/client-events.ts";
import { type ServerEvent, serverEvents } from "#shared/contracts/events.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import {
  closeClients,
  connectSocket,
  joinNative,
  type NativeTestClient,
  type Payload,
  type SocketClient,
} from "#shared/testing/clients/clients.ts";
import { fillRoom } from "#shared/testing/clients/fill-room.ts";
import { type BuiltRoom, type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { uploadPicture } from "#shared/testing/media.ts";
import { follow } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { namedMax } from "../rooms/voice/crowd.ts";

const engineFolder = fileURLToPath(new URL("..", import.meta.url));
const noSuchEvent = "There is no event";

async function readEngine(): Promise<string> {
  const texts: string[] = [];
  for await (const file of glob("**/*.ts", { cwd: engineFolder }))
    if (!file.endsWith(".test.ts")) texts.push(await readFile(join(engineFolder, file), "utf8"));
  return texts.join("\n");
}

/**
 * The documents are generated from the tables of events. These tests compare the transports themselves with the tables.
 */
describe("the tables of events", () => {
  const service = useService();
  let ada: BuiltUser;
  let room: BuiltRoom;
  let hostSocket: SocketClient;
  let adaSocket: SocketClient;
  let adaNative: NativeTestClient;

  /** Ada listens over both transports. */
  beforeEach(async () => {
    [ada, room] = await Promise.all([buildUser(), buildUser({ coins: 100 }).then((host) => buildRoom({ host }))]);
    hostSocket = await connectSocket(service.url, room.host.token);
    adaSocket = await connectSocket(service.url, ada.token);
    await done(hostSocket.ask("room:join", inRoom()));
    await done(adaSocket.ask("room:join", inRoom()));
    adaNative = await joinNative(service.url, ada.token, { room_id: room.id });
  });
  afterEach(closeClients);

  const inRoom = (more: object = {}) => ({ room_id: room.id, ...more });
  const done = async (asked: Promise<Payload>): Promise<Payload> => {
    const answer = await asked;
    expect(answer.success, JSON.stringify(answer)).to.equal(true);
    return answer.data;
  };
  const host = (event: ClientEvent, more: object = {}) => done(hostSocket.ask(event, inRoom(more)));
  const call = async (user: BuiltUser, method: string, path: string, body?: object): Promise<Payload> => {
    const answer = await service.call(method, path, { token: user.token, body });
    expect(answer.body.success, JSON.stringify(answer.body)).to.equal(true);
    return answer.body.data;
  };
  const post = (user: BuiltUser, path: string, body: object = {}) => call(user, "post", path, body);
  const comeIn = async (): Promise<SocketClient> => {
    const client = await connectSocket(service.url, (await buildUser()).token);
    await done(client.ask("room:join", inRoom()));
    return client;
  };
  const message = () => host("room:message", { body: "Good evening!" });
  const conversation = () => post(room.host, "/conversations", { peer_id: ada.id });
  const lobby = () => post(room.host, "/games/lobbies", { type: "snakes_and_ladders", room_id: room.id });

  /** What makes the service send each event to Ada. */
  const provoke: Record<ServerEvent, () => Promise<unknown>> = {
    "room:participant_joined": comeIn,
    "room:participant_left": async () => done((await comeIn()).ask("room:leave", inRoom())),
    "room:members_counted": () => fillRoom(room.id, namedMax),
    "room:new_message": message,
    "message:updated": async () => host("message:edit", { message_id: (await message()).id, body: "Good night!" }),
    "message:reacted": async () => host("message:react", { message_id: (await message()).id, emoji: "🔥" }),
    "room:pinned": async () => host("message:pin", { message_id: (await message()).id }),
    "room:seats_updated": () => host("seat:lock", { seat_no: 3, locked: true }),
    "room:seat_requested": () => done(adaSocket.ask("seat:request", inRoom({ seat_no: 4 }))),
    "room:seat_request_updated": async () => {
      const { id: request_id } = await done(adaSocket.ask("seat:request", inRoom({ seat_no: 4 })));
      await host("seat:reject", { request_id });
    },
    "room:closed": () => call(room.host, "delete", `/rooms/${room.id}`),
    "room:kicked": () => host("room:kick", { user_id: ada.id, reason: "noise", ban_minutes: 5 }),
    "room:left": () => done(adaSocket.ask("room:leave", inRoom())),
    "gift:animation": async () => {
      const { id: gift_id } = await buildGift();
      await post(room.host, `/rooms/${room.id}/gifts`, { gift_id, recipient_id: ada.id, quantity: 2 });
    },
    "dm:new": async () => post(room.host, `/conversations/${(await conversation()).id}/messages`, { body: "Hello" }),
    "dm:read": async () => {
      const { id } = await conversation();
      await post(ada, `/conversations/${id}/messages`, { body: "Hello" });
      await post(room.host, `/conversations/${id}/read`);
    },
    "typing:dm": async () => {
      const { id: conversation_id } = await conversation();
      // A connection that is behind is passed over, so the host goes on typing until it is seen.
      await until("both transports show it", async () => {
        await done(hostSocket.ask("typing:dm", { conversation_id, typing: true }));
        return [adaSocket, adaNative].every(({ inbox }) => inbox.of("typing:dm").length > 0);
      });
    },
    "game:state": async () => {
      const { id } = await lobby();
      await post(ada, `/games/lobbies/${id}/join`);
      await post(ada, `/games/lobbies/${id}/ready`);
      await post(room.host, `/games/lobbies/${id}/start`);
    },
    "lobby:updated": lobby,
    "content:decided": async () => {
      const post = { place: "post", user_id: ada.id, target_id: null, content_id: null, reason: "No." } as const;
      await inTransaction((tx) => tx.publish("content.decided", { ...post, id: room.id, status: "rejected" }));
    },
    "media:updated": () => uploadPicture(service, ada, "avatar"),
    "notification:new": () => post(room.host, `/users/${ada.id}/follow`),
    "notification:withdrawn": async () => {
      await post(room.host, `/users/${ada.id}/follow`);
      await adaSocket.inbox.next("notification:new");
      await call(room.host, "delete", `/users/${ada.id}/follow`);
    },
    "dm:deleted": async () => {
      const { id } = await conversation();
      const { id: said } = await post(room.host, `/conversations/${id}/messages`, { body: "Oops" });
      await call(room.host, "delete", `/conversations/${id}/messages/${said}`);
    },
    "conversation:updated": async () => {
      const { id } = await conversation();
      const { id: said } = await post(room.host, `/conversations/${id}/messages`, { body: "Remember" });
      await call(room.host, "put", `/conversations/${id}/pins/${said}`);
    },
    "presence:update": async () => {
      const grace = await buildUser();
      await follow(ada, grace);
      await connectSocket(service.url, grace.token);
    },
    "room:updated": () => call(room.host, "patch", `/rooms/${room.id}`, { name: "Early birds" }),
    "room:role_changed": () => host("room:role", { user_id: ada.id, role: "moderator" }),
    "room:member_updated": async () => {
      await query("UPDATE users SET full_name = 'Ada King' WHERE id = $1", [ada.id]);
      await inTransaction((tx) => tx.publish("user.card_changed", { user_id: ada.id }));
    },
    "room:message_deleted": async () => host("message:delete", { message_id: (await message()).id }),
    "room:hearts": () => host("room:heart", {}),
    "seat:invited": () => host("seat:invite", { user_id: ada.id, seat_no: 5 }),
    "chat:muted": () => host("room:mute_chat", { user_id: ada.id, minutes: 5 }),
    error: async () => {
      adaSocket.socket.emit("nonsense", {});
      adaNative.room.send("nonsense", {});
    },
  };

  // What it carries is checked with every push that a client of the tests receives.
  for (const [event, cause] of Object.entries(provoke))
    it(`${event} reaches both transports`, async () => {
      const inboxes = [adaSocket, adaNative].map(({ inbox }) => inbox);
      const earlier = new Set(inboxes.flatMap(({ all }) => all.map(({ payload }) => payload)));
      await cause();
      await Promise.all(inboxes.map((inbox) => inbox.next(event, (payload) => !earlier.has(payload))));
    });

  it("name every event that the engine sends", async () => {
    const text = await readEngine();
    const sent = [
      ...text.matchAll(/(?:\bevent: |\.(?:emit|send|toRoom|toUsers|broadcast)\(\s*(?:[^"()]+,\s*)?)"([\w:-]+)"/g),
    ];
    const names = new Set(sent.map(([, name]) => name!));
    expect([...names].filter((name) => !Object.hasOwn(serverEvents, name))).to.deep.equal([]);
    expect(names.size).to.be.greaterThan(10);
    expect(Object.keys(serverEvents).filter((name) => !text.includes(`"${name}"`))).to.deep.equal([]);
  });

  it("name every event that Socket.IO takes, and no other", async () => {
    const isKnown = async (event: string) =>
      !(await adaSocket.ask(event, { nonsense: 1 })).error.message.startsWith(noSuchEvent);
    for (const event of Object.keys(clientEvents)) expect(await isKnown(event), event).to.equal(true);
    // Everything that looks like one in the engine, what it pushes and what the service asks of its actors among it.
    const words = [...(await readEngine()).matchAll(/"([a-z]+:[a-z_]+)"/g)].map(([, word]) => word!);
    const others = [...new Set(words)].filter((word) => !isClientEvent(word));
    expect(others.length).to.be.greaterThan(20);
    for (const word of others) expect(await isKnown(word), word).to.equal(false);
  });

  it("name every event that native clients may send, and no other", async () => {
    const takenBy = async (client: NativeTestClient) => {
      const taken: string[] = [];
      for (const event of [...Object.keys(clientEvents), "room:close", "connection:drop", "__proto__", "*"])
        if (!(await client.ask(event, { nonsense: 1 })).error.message.startsWith(noSuchEvent)) taken.push(event);
      return taken;
    };
    expect(await takenBy(adaNative)).to.have.members(Object.keys(clientEvents));
    await provoke["game:state"]();
    const { session_id } = await adaSocket.inbox.next("game:state");
    const player = await joinNative(service.url, ada.token, { session_id } as never, "game_session");
    const ofNoRoom = Object.keys(clientEvents).filter((event) => !Object.hasOwn(voiceActions, event));
    expect(await takenBy(player)).to.have.members(ofNoRoom);
  });
});
