import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildGift, buildPost, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("relations between users", () => {
  const service = useService();
  let ada: BuiltUser;
  let bob: BuiltUser;
  beforeEach(async () => {
    [ada, bob] = await Promise.all([buildUser(), buildUser()]);
  });
  afterEach(closeClients);

  const call = (method: string, path: string, { token }: BuiltUser, body?: unknown) =>
    service.call(method, path, { token, ...(body !== undefined && { body }) });
  const outcome = async (...args: Parameters<typeof call>): Promise<string> => {
    const { body } = await call(...args);
    return body.success ? "ok" : body.error.code;
  };
  const idsOn = async (path: string, user: BuiltUser): Promise<string[]> =>
    (await call("get", path, user)).body.data.items.map(({ id }: { id: string }) => id);

  it("follows and unfollows, with counters and lists", async () => {
    const followed = await call("post", `/users/${bob.id}/follow`, ada);
    expect(followed.status).to.equal(200);
    expect(followed.body.data).to.include({ user_id: bob.id, is_following: true });
    expect((await call("get", `/users/${bob.id}`, ada)).body.data).to.include({
      followers_count: 1,
      is_following: true,
    });
    expect((await call("get", "/users/me", ada)).body.data).to.include({ following_count: 1, followers_count: 0 });
    expect(await idsOn("/users/me/following", ada)).to.deep.equal([bob.id]);
    const followers = await call("get", "/users/me/followers?limit=1", bob);
    expect(followers.body.data).to.include({ page: 1, limit: 1, total: 1, total_pages: 1 });
    expect(followers.body.data.items[0]).to.include({ id: ada.id, username: ada.username });
    expect((await call("delete", `/users/${bob.id}/follow`, ada)).body.data).to.include({ is_following: false });
    expect(await idsOn("/users/me/following", ada)).to.deep.equal([]);
    for (const method of ["post", "delete"]) {
      expect(await outcome(method, `/users/${ada.id}/follow`, ada)).to.equal("FORBIDDEN");
      expect(await outcome(method, `/users/${newId()}/follow`, ada)).to.equal("NOT_FOUND");
    }
  });

  it("blocks and unblocks; the blocker sees the profile without presence, the blocked user does not find it", async () => {
    const socket = await connectSocket(service.url, bob.token);
    await socket.inbox.next("presence:update", ({ user_id }) => user_id === bob.id);
    const blocked = await call("post", `/users/${bob.id}/block`, ada);
    expect([blocked.status, blocked.body.data.is_blocked]).to.deep.equal([200, true]);
    const seen = await call("get", `/users/${bob.id}`, ada);
    expect(seen.body.data).to.include({ id: bob.id, is_blocked: true, is_online: false });
    const hidden = await call("get", `/users/${ada.id}`, bob);
    expect(hidden.body).to.deep.equal((await call("get", `/users/${newId()}`, bob)).body);
    const list = await call("get", "/users/me/blocked", ada);
    expect(list.body.data.items[0]).to.include({ id: bob.id, is_online: false });
    expect((await call("delete", `/users/${bob.id}/block`, ada)).body.data).to.include({ is_blocked: false });
    expect((await call("get", `/users/${ada.id}`, bob)).status).to.equal(200);
    expect(await outcome("post", `/users/${ada.id}/block`, ada)).to.equal("FORBIDDEN");
    expect(await outcome("post", `/users/${newId()}/block`, ada)).to.equal("NOT_FOUND");
  });

  it("searches with 2 to 60 characters", async () => {
    // Other names may be similar.
    expect((await idsOn(`/users/search?q=${bob.username}`, ada))[0]).to.equal(bob.id);
    expect(await idsOn(`/users/search?q=${bob.username.slice(0, 18)}&page=1&limit=5`, ada)).to.include(bob.id);
    for (const q of ["", "q=", "q=a", "q=%20a%20", `q=${"a".repeat(61)}`, "q=a%00b", "q=aa&limit=101", "q=aa&page=0"])
      expect(await outcome("get", `/users/search?${q}`, ada), q).to.equal("VALIDATION_ERROR");
    for (const q of ["%25%25", "__", "'--", "\\\\", "𝒜𝒹", "%F0%9F%98%80%F0%9F%98%80", "(a|b)*", "$1$2"])
      expect((await call("get", `/users/search?q=${q}`, ada)).status, q).to.equal(200);
  });

  it("lists other online users", async () => {
    const socket = await connectSocket(service.url, bob.token);
    await socket.inbox.next("presence:update", ({ user_id }) => user_id === bob.id);
    await call("post", `/users/${bob.id}/follow`, ada);
    const [first] = (await call("get", "/users/online", ada)).body.data.items;
    expect(first).to.include({ id: bob.id, is_online: true });
    expect(await idsOn("/users/online?limit=100", bob)).not.to.include(bob.id);
  });

  it("registers devices", async () => {
    const body = { platform: "ios", device_uid: newId(), push_token: `t:${newId()}` };
    const made = await call("post", "/users/me/device", ada, body);
    expect(made.status).to.equal(201);
    expect(made.body.data).to.include({ platform: "ios", device_uid: body.device_uid });
    const again = await call("post", "/users/me/device", ada, { ...body, push_token: `t:${newId()}` });
    expect([again.status, again.body.data.id]).to.deep.equal([200, made.body.data.id]);
    for (const wrong of [
      { platform: "windows" },
      { push_token: "" },
      { push_token: "two words" },
      { push_token: "x".repeat(1025) },
      { device_uid: "" },
      { device_uid: "\u0000" },
      { push_token: null },
    ])
      expect(await outcome("post", "/users/me/device", ada, { ...body, ...wrong })).to.equal("VALIDATION_ERROR");
  });

  it("changes settings key by key", async () => {
    const body = { privacy: { allow_dm: "friends" }, notifications: { gifts: false } };
    const { status, body: answer } = await call("patch", "/users/me/settings", ada, body);
    expect(status).to.equal(200);
    expect(answer.data.privacy).to.include({ allow_dm: "friends", show_online: true });
    expect(answer.data.notifications).to.include({ gifts: false, push: true });
    expect((await call("get", "/users/me", ada)).body.data.settings).to.deep.equal(answer.data);
    expect((await call("patch", "/users/me/settings", ada, {})).body.data).to.deep.equal(answer.data);
    for (const wrong of [
      { privacy: { show_online: 1 } },
      { privacy: { x: true } },
      { theme: "dark" },
      { privacy: null },
    ])
      expect(await outcome("patch", "/users/me/settings", ada, wrong)).to.equal("VALIDATION_ERROR");
    expect((await call("get", "/users/me", ada)).body.data.settings).to.deep.equal(answer.data);
  });

  it("hides presence and room everywhere as the settings say", async () => {
    const socket = await connectSocket(service.url, bob.token);
    const room = await buildRoom();
    await socket.ask("room:join", { room_id: room.id });
    const surfaces = async () => {
      const [profile, search, online, followers, me] = await Promise.all([
        call("get", `/users/${bob.id}`, ada),
        call("get", `/users/search?q=${bob.username}`, ada),
        idsOn("/users/online?limit=100", ada),
        call("get", "/users/me/followers", ada),
        call("get", "/users/me", bob),
      ]);
      return {
        profile: profile.body.data.is_online,
        room: profile.body.data.current_room,
        card: search.body.data.items[0].is_online,
        follower: followers.body.data.items[0].is_online,
        online: online.includes(bob.id),
        self: me.body.data.is_online && me.body.data.current_room.id,
      };
    };
    await call("post", `/users/${ada.id}/follow`, bob);
    const set = (privacy: object) => call("patch", "/users/me/settings", bob, { privacy });
    const seen = { profile: true, card: true, follower: true, online: true, self: room.id };
    const current = { id: room.id, name: "Night owls" };
    await until("the user is seen", async () => (await surfaces()).room !== null);
    expect(await surfaces()).to.deep.equal({ ...seen, room: current });
    await set({ show_current_room: false });
    expect(await surfaces()).to.deep.equal({ ...seen, room: null });
    await set({ show_online: false, show_current_room: true });
    const unseen = { profile: false, card: false, follower: false, online: false, self: room.id };
    expect(await surfaces()).to.deep.equal({ ...unseen, room: null });
    await set({ show_online: true });
    expect(await surfaces()).to.deep.equal({ ...seen, room: current });
    await call("post", `/users/${room.host.id}/block`, ada);
    expect(await surfaces()).to.deep.equal({ ...seen, room: null });
  });

  describe("a block, for each operation and each side", () => {
    type Scene = { one: BuiltUser; other: BuiltUser };
    const requestFrom = async ({ one, other }: Scene): Promise<string> => {
      const id = newId();
      await query("INSERT INTO friend_requests (id, sender_id, recipient_id) VALUES ($1, $2, $3)", [
        id,
        other.id,
        one.id,
      ]);
      return id;
    };
    /** What `one` does to `other`, with the error code for the blocker and for the blocked user. */
    const operations: [string, (scene: Scene) => Promise<string>, string, string][] = [
      ["profile", ({ one, other }) => outcome("get", `/users/${other.id}`, one), "ok", "NOT_FOUND"],
      ["follow", ({ one, other }) => outcome("post", `/users/${other.id}/follow`, one), "BLOCKED", "NOT_FOUND"],
      ["unfollow", ({ one, other }) => outcome("delete", `/users/${other.id}/follow`, one), "ok", "NOT_FOUND"],
      ["request", ({ one, other }) => outcome("post", `/friends/${other.id}/request`, one), "BLOCKED", "NOT_FOUND"],
      ["unfriend", ({ one, other }) => outcome("delete", `/friends/${other.id}`, one), "ok", "NOT_FOUND"],
      ["block", ({ one, other }) => outcome("post", `/users/${other.id}/block`, one), "ok", "ok"],
      ["unblock", ({ one, other }) => outcome("delete", `/users/${other.id}/block`, one), "ok", "NOT_FOUND"],
      ["report", ({ one, other }) => outcome("post", `/users/${other.id}/report`, one, { reason: "spam" }), "ok", "ok"],
      [
        "search",
        async ({ one, other }) => String((await idsOn(`/users/search?q=${other.username}`, one)).includes(other.id)),
        "false",
        "false",
      ],
      [
        "online",
        async ({ one, other }) => {
          const socket = await connectSocket(service.url, other.token);
          await socket.inbox.next("presence:update", ({ user_id }) => user_id === other.id);
          return String((await idsOn("/users/online?limit=100", one)).includes(other.id));
        },
        "false",
        "false",
      ],
      [
        "room",
        async ({ one, other }) => outcome("post", `/rooms/${(await buildRoom({ host: other })).id}/join`, one, {}),
        "BLOCKED",
        "BLOCKED",
      ],
      [
        "room detail",
        async ({ one, other }) => outcome("get", `/rooms/${(await buildRoom({ host: other })).id}`, one),
        "NOT_FOUND",
        "NOT_FOUND",
      ],
      [
        "gift",
        async ({ one, other }) => {
          const [room, gift] = await Promise.all([buildRoom(), buildGift()]);
          for (const user of [one, other]) await call("post", `/rooms/${room.id}/join`, user, {});
          const body = { gift_id: gift.id, recipient_id: other.id, quantity: 1 };
          return outcome("post", `/rooms/${room.id}/gifts`, one, body);
        },
        "BLOCKED",
        "BLOCKED",
      ],
      [
        "post",
        async ({ one, other }) => outcome("get", `/posts/${(await buildPost({ author: other })).id}`, one),
        "NOT_FOUND",
        "NOT_FOUND",
      ],
      [
        "conversation",
        ({ one, other }) => outcome("post", "/conversations", one, { peer_id: other.id }),
        "BLOCKED",
        "NOT_FOUND",
      ],
    ];

    for (const [name, act, forBlocker, forBlocked] of operations)
      it(`${name}: ${forBlocker} for the blocker, ${forBlocked} for the blocked user`, async () => {
        await call("post", `/users/${bob.id}/block`, ada);
        expect(await act({ one: ada, other: bob })).to.equal(forBlocker);
        await Promise.all([query("DELETE FROM user_blocks WHERE blocker_id = $1", [ada.id])]);
        await call("post", `/users/${bob.id}/block`, ada);
        expect(await act({ one: bob, other: ada })).to.equal(forBlocked);
      });

    it("accept: a pending request is cancelled, whichever of the two sent it", async () => {
      for (const [one, other] of [
        [ada, bob],
        [bob, ada],
      ] as const) {
        await query("DELETE FROM user_blocks WHERE blocker_id = $1", [ada.id]);
        const id = await requestFrom({ one, other });
        await call("post", `/users/${bob.id}/block`, ada);
        expect(await outcome("post", `/friends/requests/${id}/accept`, one)).to.equal("REQUEST_NOT_PENDING");
      }
    });
  });
});
