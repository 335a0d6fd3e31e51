import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { configurePush } from "#shared/domain/identity/push/push.config.ts";
import { newId } from "#shared/kernel/ids.ts";
import { closeClients, connectSocket, joinNative } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildPost, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { FakeFcm } from "#shared/testing/fakes/fake-fcm.ts";
import { follow } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("notifications over the API", () => {
  const service = useService();
  afterEach(closeClients);

  const call = async (user: BuiltUser, method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token: user.token, ...(body && { body }) });
    expect(answer.body.success, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.equal(true);
    return answer.body.data;
  };
  const listed = (user: BuiltUser, search = "") => call(user, "get", `/notifications${search}`);
  const listedUntil = async (user: BuiltUser, total: number) => {
    await until(`${total} notifications`, async () => (await listed(user)).total >= total);
    return listed(user);
  };

  it("reach every connection once, with the unread count, and are listed", async () => {
    const [ada, bob] = await Promise.all([buildUser(), buildUser({ full_name: "Bob" })]);
    const room = await buildRoom();
    const [phone, laptop] = [await connectSocket(service.url, ada.token), await connectSocket(service.url, ada.token)];
    const native = await joinNative(service.url, ada.token, { room_id: room.id });
    await call(bob, "post", `/users/${ada.id}/follow`);
    const pushes = await Promise.all([phone, laptop, native].map(({ inbox }) => inbox.next("notification:new")));
    const page = await listed(ada);
    expect(page).to.deep.include({ page: 1, limit: 20, total: 1, total_pages: 1 });
    for (const push of pushes) expect(push).to.deep.equal({ notification: page.items[0], unread_count: 1 });
    const post = await buildPost({ author: ada });
    await call(bob, "post", `/posts/${post.id}/like`);
    const isLike = (push: { notification: { type: string } }) => push.notification.type === "post_like";
    const second = await phone.inbox.next("notification:new", isLike);
    expect(second.unread_count).to.equal(2);
    await Promise.all([laptop, native].map(({ inbox }) => inbox.next("notification:new", isLike)));
    for (const { inbox } of [phone, laptop, native]) expect(inbox.of("notification:new")).to.have.length(2);
  });

  it("are marked as read one by one or all at once, by their receiver", async () => {
    const [ada, bob] = await Promise.all([buildUser(), buildUser()]);
    for (let posts = 0; posts < 3; posts += 1)
      await call(bob, "post", `/posts/${(await buildPost({ author: ada })).id}/like`);
    const { items } = await listedUntil(ada, 3);
    const [{ id }] = items;
    const read = await call(ada, "patch", `/notifications/${id}/read`);
    expect(read).to.deep.equal({ ...items[0], read_at: read.read_at });
    expect(read.read_at).to.be.a("string");
    expect((await listed(ada, "?unread=true&limit=1")).total).to.equal(2);
    expect((await listed(ada, "?unread=1&limit=1")).total).to.equal(2);
    for (const all of ["?unread=false", "?unread=0", ""]) expect((await listed(ada, all)).total).to.equal(3);
    expect(await call(ada, "get", "/notifications/unread-count")).to.deep.equal({ unread_count: 2 });
    expect(await call(ada, "post", "/notifications/read-all")).to.deep.equal({ unread_count: 0 });
    expect((await listed(ada, "?unread=true")).items).to.deep.equal([]);
    for (const [user, other] of [
      [bob, id],
      [ada, newId()],
    ] as const) {
      const { body } = await service.call("patch", `/notifications/${other}/read`, { token: user.token });
      expect(body.error.code).to.equal("NOT_FOUND");
    }
    const bad = await service.call("get", "/notifications?unread=perhaps", { token: ada.token });
    expect(bad.body.error.code).to.equal("VALIDATION_ERROR");
  });

  it("notify followers when a user opens a public room", async () => {
    const [host, fan] = await Promise.all([buildUser({ full_name: "Grace" }), buildUser()]);
    await follow(fan, host);
    const watcher = await connectSocket(service.url, fan.token);
    const open = (name: string, is_private: boolean) =>
      call(host, "post", "/rooms", { name, category: "music", language: "en", is_private });
    await open("Secret", true);
    const { id } = await open("Night owls", false);
    const { notification } = await watcher.inbox.next("notification:new");
    expect(notification).to.include({ type: "room_opened", body: "Grace opened the room Night owls." });
    expect(notification.data).to.deep.include({ count: 1, room_id: id });
  });
});

describe("pushes of the service", () => {
  const service = useService();
  let fcm: FakeFcm;
  let ada: BuiltUser;
  let bob: BuiltUser;

  before(async () => {
    fcm = await FakeFcm.start();
    configurePush(fcm.config);
  });
  after(async () => {
    configurePush(undefined);
    await fcm.stop();
  });
  beforeEach(async () => {
    [ada, bob] = await Promise.all([buildUser(), buildUser({ full_name: "Bob" })]);
  });
  afterEach(closeClients);

  const addDevice = async (user: BuiltUser) => {
    const push_token = `push-${newId()}`;
    const body = { platform: "android", device_uid: newId(), push_token };
    expect((await service.call("post", "/users/me/device", { token: user.token, body })).body.success).to.equal(true);
    return push_token;
  };
  const call = async (user: BuiltUser, method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token: user.token, ...(body && { body }) });
    expect(answer.body.success, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.equal(true);
    return answer.body.data;
  };
  const turnOff = (user: BuiltUser, setting: string) =>
    call(user, "patch", "/users/me/settings", { notifications: { [setting]: false } });
  const follows = (from: BuiltUser, to: BuiltUser) => call(from, "post", `/users/${to.id}/follow`);
  /** What was asked for before this has been tried. */
  const settled = () =>
    until("no push waits", async () => {
      const waiting = await query(
        `SELECT 1 FROM pgboss.job WHERE name = 'notifications.push' AND state < 'completed'
         UNION ALL SELECT 1 FROM undelivered_events WHERE topic IN ('user.followed', 'dm.new', 'game.turn_waits')`,
      );
      return waiting.length === 0;
    });

  const waitingPushes = () =>
    query<{ seconds: number }>(
      `SELECT extract(epoch FROM start_after - now())::float AS seconds FROM pgboss.job
       WHERE name = 'notifications.push' AND state = 'created'`,
    );

  it("reach all devices of a user who is not connected, and are retried for those that failed", async () => {
    const [phone, tablet] = [await addDevice(ada), await addDevice(ada)];
    fcm.refuse(phone, 503, 503);
    await follows(bob, ada);
    const [push] = await fcm.next(phone);
    const { items } = await call(ada, "get", "/notifications");
    expect(push?.notification).to.deep.equal({ title: "New follower", body: "Bob followed you." });
    expect(push?.data).to.deep.equal({ type: "follow", notification_id: items[0].id, user_id: bob.id });
    await settled();
    expect([phone, tablet].map((token) => fcm.pushesTo(token).length)).to.deep.equal([1, 1]);
    expect(fcm.calls.filter(({ token }) => token === phone).map(({ status }) => status)).to.deep.equal([503, 503, 200]);
  });

  it("are retried when every device failed, and delete a device that is gone", async () => {
    const [phone, gone] = [await addDevice(ada), await addDevice(bob)];
    fcm.refuse(phone, 500);
    fcm.refuse(gone, "unregistered");
    await follows(bob, ada);
    await follows(ada, bob);
    await fcm.next(phone);
    await settled();
    expect(await query("SELECT 1 FROM user_devices WHERE push_token = $1", [gone])).to.deep.equal([]);
  });

  it("wait as long as the carrier asks, and then continue with the devices that are left", async () => {
    const [phone, tablet] = [await addDevice(ada), await addDevice(ada)];
    fcm.refuse(phone, { status: 429, retryAfter: "40" });
    fcm.refuse(tablet, { status: 429, retryAfter: "40" }, "invalid_token_short");
    await follows(bob, ada);
    const statuses = () =>
      fcm.calls.filter(({ token }) => token === phone || token === tablet).map(({ status }) => status);
    await until("both are refused", () => statuses().length >= 2);
    await until("the rest waits", async () => (await waitingPushes()).length === 1);
    expect((await waitingPushes())[0]!.seconds).to.be.within(30, 40);
    expect(statuses()).to.deep.equal([429, 429]);

    await query("UPDATE pgboss.job SET start_after = now() WHERE name = 'notifications.push' AND state = 'created'");
    await fcm.next(phone);
    await settled();
    expect(statuses().toSorted()).to.deep.equal([200, 400, 429, 429]);
    expect(await query("SELECT 1 FROM user_devices WHERE push_token = $1", [tablet])).to.deep.equal([]);
  });

  it("skip users who are connected or want none, and notifications that only grew", async () => {
    const cid = await buildUser();
    const [connected, unwilling, offline] = await Promise.all([addDevice(ada), addDevice(bob), addDevice(cid)]);
    await connectSocket(service.url, ada.token);
    await until("she is seen to be connected", async () => {
      return (await query("SELECT 1 FROM online_users WHERE user_id = $1", [ada.id])).length > 0;
    });
    await turnOff(bob, "push");
    for (let fans = 0; fans < 3; fans += 1) {
      const fan = await buildUser();
      for (const person of [ada, bob, cid]) await follows(fan, person);
    }
    await fcm.next(offline);
    await settled();
    expect([connected, unwilling, offline].map((token) => fcm.pushesTo(token).length)).to.deep.equal([0, 0, 1]);
    expect((await call(cid, "get", "/notifications")).items[0].data.count).to.equal(3);
  });

  it("announce each message once, without a notification", async () => {
    const phone = await addDevice(ada);
    const conversation = await call(bob, "post", "/conversations", { peer_id: ada.id });
    const send = (body: string, client_id?: string) =>
      call(bob, "post", `/conversations/${conversation.id}/messages`, { body, ...(client_id && { client_id }) });
    const { client_id, ...message } = await send("Are you there?", "m-1");
    const { id } = message;
    await send("Are you there?", client_id);
    await inTransaction((tx) => tx.publish("dm.new", { message, recipient_id: ada.id }));
    const [push] = await fcm.next(phone);
    expect(push?.notification).to.deep.equal({ title: "Bob", body: "Are you there?" });
    expect(push?.data).to.deep.equal({
      type: "message",
      conversation_id: conversation.id,
      message_id: id,
      user_id: bob.id,
    });
    await turnOff(ada, "messages");
    await send("x".repeat(900));
    await settled();
    expect(fcm.pushesTo(phone)).to.have.length(1);
    expect((await call(ada, "get", "/notifications")).total).to.equal(0);
  });

  /** A game of these two that goes on, as far as notifications look. */
  const goingOn = async (players: readonly BuiltUser[]) => {
    const [lobbyId, sessionId] = [newId(), newId()];
    await query(
      "INSERT INTO game_lobbies (id, type, host_id, status, players) VALUES ($1, 'ludo', $2, 'in_game', '[]')",
      [lobbyId, ada.id],
    );
    await query("INSERT INTO game_sessions (id, lobby_id, type, seed, state) VALUES ($1, $2, 'ludo', 'seed', $3)", [
      sessionId,
      lobbyId,
      JSON.stringify({ players: players.map(({ id }) => id) }),
    ]);
    return sessionId;
  };

  it("announce a player's turn in a game, once for each turn", async () => {
    const phone = await addDevice(ada);
    const session_id = await goingOn([ada, bob]);
    const wait = (version: number) =>
      inTransaction((tx) => tx.publish("game.turn_waits", { session_id, type: "ludo", user_id: ada.id, version }));
    for (const version of [1, 1, 2]) await wait(version);
    const [push] = await fcm.next(phone, 2);
    await settled();
    expect(push?.notification).to.deep.equal({ title: "Your turn", body: "It's your turn in Ludo." });
    const [listed] = (await call(ada, "get", "/notifications?unread=true")).items;
    expect(push?.data).to.deep.equal({ type: "game_turn", notification_id: listed.id, user_id: bob.id, session_id });
    expect(listed).to.deep.include({ type: "game_turn", title: "Your turn", body: "It's your turn in Ludo." });
    expect(listed.data).to.deep.include({ session_id, game: "ludo", count: 2 });
    expect(fcm.pushesTo(phone)).to.have.length(2);
    // It has no actor, and a service that starts would make one.
    await query("UPDATE game_sessions SET status = 'abandoned', finished_at = now() WHERE id = $1", [session_id]);
  });
});
