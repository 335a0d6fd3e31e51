import { expect } from "chai";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildPost, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { block, follow, setStatus } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

/** What users are shown as a number and can count themselves. Both follow from the same rule of who sees what. */
describe("counts and the lists that they count", () => {
  const service = useService();
  afterEach(closeClients);
  let ada: BuiltUser;
  let bob: BuiltUser;
  let cid: BuiltUser;
  let postId: string;
  let roomId: string;

  const call = async (user: BuiltUser, method: string, path: string, body?: object) => {
    const answer = await service.call(method, path, { token: user.token, ...(body && { body }) });
    expect(answer.body.success, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.equal(true);
    return answer.body.data;
  };
  const get = (user: BuiltUser, path: string) => call(user, "get", path);
  const lengthOf = async (user: BuiltUser, path: string): Promise<number> => (await get(user, path)).items.length;
  /** Of a paged list: its total beside its items. */
  const paged = (path: string) => async (viewer: BuiltUser) => {
    const { total, items } = await get(viewer, path);
    return [total, items.length];
  };

  /** A number, and the length of what it counts, as a viewer sees both. */
  const pairs: Record<string, (viewer: BuiltUser) => Promise<number[]>> = {
    "a post's comments": async (viewer) => [
      (await get(viewer, `/posts/${postId}`)).comments_count,
      await lengthOf(viewer, `/posts/${postId}/comments`),
    ],
    "one's own followers": async (viewer) => [
      (await get(viewer, "/users/me")).followers_count,
      ...(await paged("/users/me/followers")(viewer)),
    ],
    "the users that one follows": async (viewer) => [
      (await get(viewer, "/users/me")).following_count,
      ...(await paged("/users/me/following")(viewer)),
    ],
    "one's own posts": async (viewer) => [
      (await get(viewer, "/users/me")).posts_count,
      await lengthOf(viewer, `/users/${viewer.id}/posts`),
    ],
    "another user's posts": async (viewer) => [
      (await get(viewer, `/users/${ada.id}`)).posts_count,
      await lengthOf(viewer, `/users/${ada.id}/posts`),
    ],
    "a room's members": async (viewer) => {
      const { member_count, members } = await get(viewer, `/rooms/${roomId}`);
      return [member_count, members.length];
    },
    "unread notifications": async (viewer) => [
      (await get(viewer, "/notifications/unread-count")).unread_count,
      ...(await paged("/notifications?unread=true")(viewer)),
    ],
    notifications: paged("/notifications"),
    conversations: paged("/conversations"),
    friends: paged("/friends"),
    "friend requests": paged("/friends/requests"),
    "sent friend requests": paged("/friends/requests/sent"),
    "blocked users": paged("/users/me/blocked"),
    "search results": (viewer) => paged(`/users/search?q=${bob.username}`)(viewer),
  };

  beforeEach(async () => {
    [ada, bob, cid] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    postId = (await buildPost({ author: ada })).id;
    await buildPost({ author: ada, visibility: "followers" });
    roomId = (await buildRoom({ host: ada })).id;
    for (const user of [bob, cid]) {
      await follow(user, ada);
      await follow(ada, user);
      await call(user, "post", `/posts/${postId}/comments`, { content: "Encore!" });
      await call(user, "post", `/posts/${postId}/like`);
      const { id } = await call(user, "post", "/conversations", { peer_id: ada.id });
      await call(user, "post", `/conversations/${id}/messages`, { body: "Hello" });
    }
    await call(bob, "post", `/friends/${ada.id}/request`);
    await call(ada, "post", `/friends/${bob.id}/request`);
    await call(cid, "post", `/friends/${ada.id}/request`);
    const socket = await connectSocket(service.url, ada.token);
    await socket.ask("room:join", { room_id: roomId });
    await until("all are notified", async () => (await get(ada, "/notifications/unread-count")).unread_count >= 4);
  });

  const changes: Record<string, () => Promise<unknown>> = {
    "nothing changed": async () => {},
    "the viewer blocked a user": () => call(ada, "post", `/users/${bob.id}/block`),
    "a user blocked the viewer": () => call(bob, "post", `/users/${ada.id}/block`),
    "a block hides what stayed": () => block(bob, ada),
    "a block was lifted": async () => {
      await call(ada, "post", `/users/${bob.id}/block`);
      await call(ada, "delete", `/users/${bob.id}/block`);
    },
    "a user was suspended": () => setStatus(bob, "suspended"),
    "a user came back": async () => {
      await setStatus(bob, "suspended");
      await setStatus(bob, "active");
    },
    "a user asked for deletion": () => call(bob, "post", "/account/delete-request"),
    "a user was deleted": () => setStatus(bob, "deleted"),
    "a user unfollowed": () => call(cid, "delete", `/users/${ada.id}/follow`),
  };

  for (const [change, make] of Object.entries(changes))
    it(`agree after ${change}`, async () => {
      await make();
      for (const [name, read] of Object.entries(pairs))
        for (const viewer of [ada, cid]) {
          const numbers = await read(viewer);
          expect(new Set(numbers).size, `${name}: ${numbers.join(" and ")}`).to.equal(1);
        }
    });

  it("are not all zero", async () => {
    const seen = await Promise.all(Object.values(pairs).map(async (read) => Math.max(...(await read(ada)))));
    expect(seen.filter((number) => number > 0)).to.have.length.greaterThan(Object.keys(pairs).length - 3);
  });
});
