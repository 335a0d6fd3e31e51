import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { allPages } from "#shared/testing/all-pages.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import {
  type BuiltRoom,
  type BuiltUser,
  buildGift,
  buildPost,
  buildRoom,
  buildUser,
} from "#shared/testing/factories.ts";
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

  /** Connects a user, and waits until they are online. */
  const connect = async (user: BuiltUser) => {
    const socket = await connectSocket(service.url, user.token);
    await socket.inbox.next("presence:update", ({ user_id }) => user_id === user.id);
    return socket;
  };

  describe("a follow", () => {
    let followed: Awaited<ReturnType<typeof call>>;
    beforeEach(async () => {
      followed = await call("post", `/users/${bob.id}/follow`, ada);
    });

    it("is returned as the caller's relation to the user", () => {
      expect(followed.status).to.equal(200);
      expect(followed.body.data).to.include({ user_id: bob.id, is_following: true });
    });

    it("is counted in both profiles", async () => {
      const profile = await call("get", `/users/${bob.id}`, ada);
      const me = await call("get", "/users/me", ada);

      expect(profile.body.data).to.include({ followers_count: 1, is_following: true });
      expect(me.body.data).to.include({ following_count: 1, followers_count: 0 });
    });

    it("is listed for both users", async () => {
      const followers = await call("get", "/users/me/followers?limit=1", bob);

      expect(await idsOn("/users/me/following", ada)).to.deep.equal([bob.id]);
      expect(followers.body.data).to.include({ page: 1, limit: 1, total: 1, total_pages: 1 });
      expect(followers.body.data.items[0]).to.include({ id: ada.id, username: ada.username });
    });

    it("ends when the user is unfollowed", async () => {
      const unfollowed = await call("delete", `/users/${bob.id}/follow`, ada);

      expect(unfollowed.body.data).to.include({ is_following: false });
      expect(await idsOn("/users/me/following", ada)).to.deep.equal([]);
    });
  });

  for (const method of ["post", "delete"])
    it(`rejects ${method.toUpperCase()} /users/{id}/follow for yourself and for unknown users`, async () => {
      expect(await outcome(method, `/users/${ada.id}/follow`, ada)).to.equal("FORBIDDEN");
      expect(await outcome(method, `/users/${newId()}/follow`, ada)).to.equal("NOT_FOUND");
    });

  describe("a block of a connected user", () => {
    let blocked: Awaited<ReturnType<typeof call>>;
    beforeEach(async () => {
      await connect(bob);
      blocked = await call("post", `/users/${bob.id}/block`, ada);
    });

    it("is returned as the caller's relation to the user", () => {
      expect([blocked.status, blocked.body.data.is_blocked]).to.deep.equal([200, true]);
    });

    it("shows the blocker the profile without presence", async () => {
      const { body } = await call("get", `/users/${bob.id}`, ada);

      expect(body.data).to.include({ id: bob.id, is_blocked: true, is_online: false });
    });

    it("hides the blocker from the blocked user like an unknown user", async () => {
      const hidden = await call("get", `/users/${ada.id}`, bob);
      const unknown = await call("get", `/users/${newId()}`, bob);

      expect(hidden.body).to.deep.equal(unknown.body);
    });

    it("is listed for the blocker without presence", async () => {
      const { body } = await call("get", "/users/me/blocked", ada);

      expect(body.data.items[0]).to.include({ id: bob.id, is_online: false });
    });

    it("ends when the user is unblocked", async () => {
      const unblocked = await call("delete", `/users/${bob.id}/block`, ada);

      expect(unblocked.body.data).to.include({ is_blocked: false });
      expect((await call("get", `/users/${ada.id}`, bob)).status).to.equal(200);
    });
  });

  it("rejects a block of yourself or of an unknown user", async () => {
    expect(await outcome("post", `/users/${ada.id}/block`, ada)).to.equal("FORBIDDEN");
    expect(await outcome("post", `/users/${newId()}/block`, ada)).to.equal("NOT_FOUND");
  });

  describe("the search", () => {
    const suggestedTo = async ({ token }: BuiltUser) =>
      (await allPages(service.call, "/users/search", token)).map(({ id }) => id);

    it("finds users by their whole username and by its beginning", async () => {
      const whole = await idsOn(`/users/search?q=${bob.username}`, ada);
      const beginning = await idsOn(`/users/search?q=${bob.username.slice(0, 18)}&page=1&limit=5`, ada);

      // Other names may be similar.
      expect(whole[0]).to.equal(bob.id);
      expect(beginning).to.include(bob.id);
    });

    it("suggests people without a query, and finds them by one character", async () => {
      const [cleo, dan] = await Promise.all([buildUser({ full_name: "訫" }), buildUser()]);
      await call("post", `/users/${bob.id}/follow`, ada);
      await call("post", `/users/${dan.id}/follow`, bob);

      const suggested = await suggestedTo(ada);

      expect(suggested).to.include.members([cleo.id, dan.id]).and.not.include(ada.id).and.not.include(bob.id);
      expect(await idsOn(`/users/search?q=${encodeURIComponent("訫")}`, ada)).to.include(cleo.id);
      await call("post", `/users/${cleo.id}/block`, ada);
      expect(await suggestedTo(ada)).to.not.include(cleo.id);
    });

    it("rejects queries without 1 to 60 characters, and invalid pages", async () => {
      for (const q of ["q=", "q=%20", `q=${"a".repeat(61)}`, "q=a%00b", "q=aa&limit=101", "q=aa&page=0"])
        expect(await outcome("get", `/users/search?${q}`, ada), q).to.equal("VALIDATION_ERROR");
    });

    it("accepts characters with a meaning in patterns and SQL", async () => {
      for (const q of ["%25%25", "__", "'--", "\\\\", "𝒜𝒹", "%F0%9F%98%80%F0%9F%98%80", "(a|b)*", "$1$2"])
        expect((await call("get", `/users/search?q=${q}`, ada)).status, q).to.equal(200);
    });
  });

  describe("the list of online users", () => {
    beforeEach(() => connect(bob));

    it("begins with users whom the caller follows", async () => {
      await call("post", `/users/${bob.id}/follow`, ada);

      const { body } = await call("get", "/users/online", ada);

      expect(body.data.items[0]).to.include({ id: bob.id, is_online: true });
    });

    it("leaves out the caller", async () => {
      expect(await idsOn("/users/online?limit=100", bob)).not.to.include(bob.id);
    });
  });

  describe("a device", () => {
    const device = () => ({ platform: "ios", device_uid: newId(), push_token: `t:${newId()}` });

    it("is registered", async () => {
      const body = device();

      const { status, body: answer } = await call("post", "/users/me/device", ada, body);

      expect(status).to.equal(201);
      expect(answer.data).to.include({ platform: "ios", device_uid: body.device_uid });
    });

    it("keeps its ID when it is registered again with another push token", async () => {
      const body = device();
      const first = await call("post", "/users/me/device", ada, body);

      const again = await call("post", "/users/me/device", ada, { ...body, push_token: `t:${newId()}` });

      expect([again.status, again.body.data.id]).to.deep.equal([200, first.body.data.id]);
    });

    it("is rejected with invalid fields", async () => {
      const invalid: object[] = [
        { platform: "windows" },
        { push_token: "" },
        { push_token: "two words" },
        { push_token: "x".repeat(1025) },
        { device_uid: "" },
        { device_uid: "\u0000" },
        { push_token: null },
      ];
      for (const fields of invalid)
        expect(await outcome("post", "/users/me/device", ada, { ...device(), ...fields })).to.equal("VALIDATION_ERROR");
    });
  });

  describe("settings", () => {
    const change = (body: object) => call("patch", "/users/me/settings", ada, body);
    const stored = async () => (await call("get", "/users/me", ada)).body.data.settings;

    it("change key by key", async () => {
      const { status, body } = await change({ privacy: { allow_dm: "friends" }, notifications: { gifts: false } });

      expect(status).to.equal(200);
      expect(body.data.privacy).to.include({ allow_dm: "friends", show_online: true });
      expect(body.data.notifications).to.include({ gifts: false, push: true });
      expect(await stored()).to.deep.equal(body.data);
    });

    it("stay the same when no key is given", async () => {
      const before = await stored();

      expect((await change({})).body.data).to.deep.equal(before);
    });

    it("stay the same when the change is invalid", async () => {
      const before = await stored();
      const invalid: object[] = [
        { privacy: { show_online: 1 } },
        { privacy: { x: true } },
        { theme: "dark" },
        { privacy: null },
      ];

      for (const body of invalid)
        expect(await outcome("patch", "/users/me/settings", ada, body)).to.equal("VALIDATION_ERROR");
      expect(await stored()).to.deep.equal(before);
    });
  });

  describe("a user in a room, whose follower looks at every surface", () => {
    let room: BuiltRoom;
    let current: object;
    let seen: object;
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
    const setPrivacy = (privacy: object) => call("patch", "/users/me/settings", bob, { privacy });
    beforeEach(async () => {
      const socket = await connectSocket(service.url, bob.token);
      room = await buildRoom();
      await socket.ask("room:join", { room_id: room.id });
      await call("post", `/users/${ada.id}/follow`, bob);
      current = { id: room.id, name: "Night owls" };
      seen = { profile: true, card: true, follower: true, online: true, self: room.id };
      await until("the user is seen", async () => (await surfaces()).room !== null);
    });

    it("is shown with presence and room by default", async () => {
      expect(await surfaces()).to.deep.equal({ ...seen, room: current });
    });

    it("is shown without the room if `show_current_room` is off", async () => {
      await setPrivacy({ show_current_room: false });

      expect(await surfaces()).to.deep.equal({ ...seen, room: null });
    });

    it("is shown as offline if `show_online` is off", async () => {
      await setPrivacy({ show_online: false });

      const unseen = { profile: false, card: false, follower: false, online: false, self: room.id };
      expect(await surfaces()).to.deep.equal({ ...unseen, room: null });
    });

    it("is shown again when both settings are back on", async () => {
      await setPrivacy({ show_online: false, show_current_room: false });

      await setPrivacy({ show_online: true, show_current_room: true });

      expect(await surfaces()).to.deep.equal({ ...seen, room: current });
    });

    it("is shown without the room to users who have blocked its host", async () => {
      await call("post", `/users/${room.host.id}/block`, ada);

      expect(await surfaces()).to.deep.equal({ ...seen, room: null });
    });
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
          await connect(other);
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

        await query("DELETE FROM user_blocks WHERE blocker_id = $1", [ada.id]);
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
