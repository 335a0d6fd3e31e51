import { expect } from "chai";
import type { GiftTransaction, Notification, NotificationSetting as Setting } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { updateMe } from "#shared/domain/identity/users/update-me.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { block, callerOf, follow, outcomeOf, setStatus } from "#shared/testing/people.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { recordEvents } from "#shared/testing/record-events.ts";
import { markAllNotificationsRead, markNotificationRead } from "./mark-read.ts";
import { countUnread, listNotifications, unreadNotifications } from "./notifications.queries.ts";
import { notifyAllFollowers } from "./notify-followers.ts";
import { notifyTurn } from "./notify-turn.ts";
import { pruneNotifications } from "./prune-notifications.ts";
import {
  notifyOfComment,
  notifyOfFollow,
  notifyOfFriendRequest,
  notifyOfFriendship,
  notifyOfGift,
  notifyOfLike,
} from "./record-notifications.ts";

const listOf = async ({ id }: BuiltUser, unread = false) =>
  (await listNotifications(id, { page: 1, limit: 100, unread })).items;
const turnOff = (user: BuiltUser, setting: Setting) =>
  updateMe(callerOf(user), { settings: { notifications: { [setting]: false } } });

const like = (post_id: string, author: BuiltUser, user: BuiltUser) =>
  recordEvents(notifyOfLike, { post_id, author_id: author.id, user_id: user.id });
const comment = (post_id: string, author: BuiltUser, user: BuiltUser, comment_id = newId()) =>
  recordEvents(notifyOfComment, { post_id, comment_id, author_id: author.id, user_id: user.id });
const followed = (follower: BuiltUser, person: BuiltUser) =>
  recordEvents(notifyOfFollow, { follower_id: follower.id, followed_id: person.id });

const rose = { id: newId(), name: "Rose", image_url: "https://cdn.example.com/rose.png" };
const give = (sender: BuiltUser, recipient: BuiltUser, quantity: number, total_coins: number, id = newId()) => {
  const transaction = { id, gift: rose, quantity, total_coins, sender, recipient, room_id: newId() };
  return recordEvents(notifyOfGift, { transaction: transaction as unknown as GiftTransaction });
};

/** What makes a notification of each type for `to`, and the setting that it obeys. */
const causes: [type: string, setting: Setting, cause: (from: BuiltUser, to: BuiltUser) => Promise<void>][] = [
  ["follow", "follows", followed],
  [
    "friend_request",
    "friend_requests",
    (from, to) => recordEvents(notifyOfFriendRequest, { request_id: newId(), sender_id: from.id, recipient_id: to.id }),
  ],
  [
    "friend_accepted",
    "friend_requests",
    (from, to) => recordEvents(notifyOfFriendship, { request_id: newId(), sender_id: to.id, recipient_id: from.id }),
  ],
  ["gift", "gifts", (from, to) => give(from, to, 3, 30)],
  ["post_like", "posts", (from, to) => like(newId(), to, from)],
  ["post_comment", "posts", (from, to) => comment(newId(), to, from)],
  [
    "room_opened",
    "rooms",
    async (from, to) => {
      await query("INSERT INTO user_follows (follower_id, followed_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
        to.id,
        from.id,
      ]);
      await notifyAllFollowers({ room_id: (await buildRoom({ host: from })).id });
    },
  ],
];

describe("notifications", () => {
  useDatabase();
  let ada: BuiltUser;
  let bob: BuiltUser;

  beforeEach(async () => {
    [ada, bob] = await Promise.all([buildUser({ full_name: "Ada" }), buildUser({ full_name: "Bob" })]);
  });

  it("describe each event to its receiver in words, with the card of the user who caused it and the ids", async () => {
    for (const [, , cause] of causes) await cause(bob, ada);
    const listed = await listOf(ada);
    expect(listed.map(({ type }) => type)).to.deep.equal(causes.map(([type]) => type).reverse());
    const of = (type: string) => listed.find((one) => one.type === type)!;
    const said = listed.map(({ title, body }) => `${title}: ${body}`).reverse();
    expect(said).to.deep.equal([
      "New follower: Bob followed you.",
      "Friend request: Bob sent you a friend request.",
      "New friend: Bob accepted your friend request.",
      "New gift: Bob sent you Rose × 3.",
      "New like: Bob liked your post.",
      "New comment: Bob commented on your post.",
      "Room opened: Bob opened the room Night owls.",
    ]);
    for (const { data, read_at } of listed) {
      expect(data).to.deep.include({ count: 1 });
      expect(data.user).to.include({ id: bob.id, username: bob.username, full_name: "Bob" });
      expect(read_at).to.equal(null);
    }
    expect(of("gift").data).to.deep.include({ gift: rose, quantity: 3, total_coins: 30 });
    expect(of("gift").data).to.have.keys([
      "user",
      "count",
      "gift",
      "quantity",
      "total_coins",
      "room_id",
      "transaction_id",
    ]);
    expect(of("follow").data).to.have.keys(["user", "count"]);
    expect(of("friend_request").data).to.have.property("request_id");
    expect(of("post_comment").data).to.include.keys(["post_id", "comment_id"]);
    expect(of("room_opened").data).to.have.property("room_id");
    expect(await countUnread(ada.id)).to.equal(causes.length);
    expect(await listOf(bob)).to.deep.equal([]);
  });

  it("show current names, and the name of a room only while everyone can see it", async () => {
    await followed(bob, ada);
    await follow(ada, bob);
    const room = await buildRoom({ host: bob, name: "Secret club" });
    await notifyAllFollowers({ room_id: room.id });
    await query("UPDATE users SET full_name = '' WHERE id = $1", [bob.id]);
    await query("UPDATE rooms SET is_private = true WHERE id = $1", [room.id]);
    const bodies = (await listOf(ada)).map(({ body }) => body);
    expect(bodies).to.deep.equal([`${bob.username} opened a room.`, `${bob.username} followed you.`]);
  });

  for (const [type, setting, cause] of causes) {
    it(`of ${type} obey the setting ${setting}, blocks and the account's state`, async () => {
      const [off, blocker, blocked, suspended, leaving] = await Promise.all(
        Array.from({ length: 5 }, () => buildUser()),
      );
      await turnOff(off!, setting);
      await block(blocker!, bob);
      await block(bob, blocked!);
      await setStatus(suspended!, "suspended");
      await setStatus(leaving!, "deletion_pending");
      for (const receiver of [off!, blocker!, blocked!, suspended!, leaving!, bob]) {
        // Users can't follow themselves.
        if (type === "room_opened" && receiver === bob) continue;
        await cause(bob, receiver);
        const rows = await query("SELECT type FROM notifications WHERE user_id = $1", [receiver.id]);
        expect(rows).to.deep.equal(receiver === leaving ? [{ type }] : []);
      }
    });
  }

  it("are created once, however often an event is delivered at once, even after they were read", async () => {
    const [post, id] = [newId(), newId()];
    const events = [
      () => followed(bob, ada),
      () => like(post, ada, bob),
      () => comment(post, ada, bob, id),
      () => give(bob, ada, 1, 10, id),
      () => recordEvents(notifyOfFriendRequest, { request_id: id, sender_id: bob.id, recipient_id: ada.id }),
    ];
    await Promise.all(events.flatMap((event) => Array.from({ length: 10 }, event)));
    expect((await listOf(ada)).map(({ data }) => data.count)).to.deep.equal([1, 1, 1, 1, 1]);
    await markAllNotificationsRead(callerOf(ada));
    for (const event of events) await event();
    expect(await listOf(ada)).to.have.length(5);
    expect(await countUnread(ada.id)).to.equal(0);
  });

  it("group the likes of a post while they are unread, and name the most recent user first", async () => {
    const post = newId();
    const cid = await buildUser({ full_name: "Cid" });
    await like(post, ada, bob);
    const [first] = await listOf(ada);
    await like(newId(), ada, bob);
    await like(post, ada, cid);
    const [grown, other] = await listOf(ada);
    expect(grown).to.include({ id: first!.id, title: "New likes", body: "Cid and 1 other liked your post." });
    expect(grown!.created_at > first!.created_at).to.equal(true);
    expect(grown!.data).to.deep.include({ count: 2, post_id: post });
    expect(other!.data.count).to.equal(1);
    await like(post, ada, await buildUser({ full_name: "Dan" }));
    expect((await listOf(ada))[0]?.body).to.equal("Dan and 2 others liked your post.");
    await markNotificationRead(callerOf(ada), first!.id);
    await like(post, ada, await buildUser({ full_name: "Eve" }));
    const after = await listOf(ada);
    expect(after.map(({ body }) => body)).to.deep.equal([
      "Eve liked your post.",
      "Dan and 2 others liked your post.",
      "Bob liked your post.",
    ]);
    expect(await countUnread(ada.id)).to.equal(2);
  });

  it("group followers, comments, the gifts of one sender and the rooms of one host", async () => {
    const cid = await buildUser({ full_name: "Cid" });
    const post = newId();
    for (const person of [bob, cid]) await followed(person, ada);
    for (const person of [bob, cid, bob]) await comment(post, ada, person);
    await give(bob, ada, 2, 20);
    await give(cid, ada, 1, 7);
    await give(bob, ada, 1, 500);
    await follow(ada, bob);
    for (const name of ["First", "Second"])
      await notifyAllFollowers({ room_id: (await buildRoom({ host: bob, name })).id });
    expect((await listOf(ada)).map(({ title, body }) => `${title}: ${body}`)).to.deep.equal([
      "Room opened: Bob opened the room Second.",
      "New gifts: Bob sent you 2 gifts worth 520 coins.",
      "New gift: Cid sent you Rose × 1.",
      "New comments: 3 new comments on your post, most recently by Bob.",
      "New followers: Cid and 1 other followed you.",
    ]);
    expect(await countUnread(ada.id)).to.equal(5);
  });

  it("are neither listed nor counted nor pushed while a block stands between the two", async () => {
    await followed(bob, ada);
    const [notification] = await listOf(ada);
    const { id } = notification!;
    await block(ada, bob);
    expect([await listOf(ada), await countUnread(ada.id), await unreadNotifications([id])]).to.deep.equal([[], 0, []]);
    expect(await outcomeOf(markNotificationRead(callerOf(ada), id))).to.equal("NOT_FOUND");
    await query("DELETE FROM user_blocks WHERE blocker_id = $1", [ada.id]);
    expect(await listOf(ada)).to.have.length(1);
  });

  it("skip players between whom and the receiver a block stands when they announce a turn", async () => {
    const [cid, lobbyId, session_id] = [await buildUser(), newId(), newId()];
    await query(
      "INSERT INTO game_lobbies (id, type, host_id, status, players) VALUES ($1, 'ludo', $2, 'in_game', '[]')",
      [lobbyId, ada.id],
    );
    const state = JSON.stringify({ players: [ada.id, bob.id, cid.id] });
    await query("INSERT INTO game_sessions (id, lobby_id, type, seed, state) VALUES ($1, $2, 'ludo', 'seed', $3)", [
      session_id,
      lobbyId,
      state,
    ]);
    let version = 0;
    const wait = async (user: BuiltUser) => {
      version += 1;
      await recordEvents(notifyTurn, { session_id, type: "ludo", user_id: user.id, version });
      return (await listOf(user)).map(({ data }) => [data.user?.id, data.count]);
    };
    expect(await wait(ada)).to.deep.equal([[cid.id, 1]]);
    await markAllNotificationsRead(callerOf(ada));
    await block(cid, ada);
    expect(await wait(ada)).to.deep.equal([[bob.id, 1]]);
    await block(bob, cid);
    expect(await wait(cid)).to.deep.equal([]);
  });

  it("are marked as read by their receiver, once", async () => {
    await followed(bob, ada);
    const [{ id }] = (await listOf(ada)) as [Notification];
    expect(await outcomeOf(markNotificationRead(callerOf(bob), id))).to.equal("NOT_FOUND");
    expect(await outcomeOf(markNotificationRead(callerOf(ada), newId()))).to.equal("NOT_FOUND");
    expect(await countUnread(ada.id)).to.equal(1);
    const read = await markNotificationRead(callerOf(ada), id);
    expect(Date.parse(read.read_at ?? "")).to.be.closeTo(Date.now(), 10_000);
    expect(await markNotificationRead(callerOf(ada), id)).to.deep.equal(read);
    expect([await countUnread(ada.id), await listOf(ada, true), await listOf(ada)]).to.deep.equal([0, [], [read]]);
  });

  it("lose and duplicate nothing under concurrent events and reads", async () => {
    const posts = Array.from({ length: 6 }, () => newId());
    const people = await Promise.all(Array.from({ length: 10 }, () => buildUser()));
    const works = people.flatMap((person) => [
      ...posts.map((post) => () => like(post, ada, person)),
      ...Array.from({ length: 3 }, () => () => markAllNotificationsRead(callerOf(ada))),
      () => countUnread(ada.id),
    ]);
    await Promise.all(works.map((work) => work()));
    const listed = await listOf(ada);
    expect(listed.reduce((sum, { data }) => sum + data.count, 0)).to.equal(60);
    const unread = listed.filter(({ read_at }) => read_at === null);
    expect(await countUnread(ada.id)).to.equal(unread.length);
    expect(new Set(unread.map(({ data }) => "post_id" in data && data.post_id)).size).to.equal(unread.length);
    expect(await markAllNotificationsRead(callerOf(ada))).to.deep.equal({ unread_count: 0 });
    expect(await countUnread(ada.id)).to.equal(0);
  });

  it("are listed by page, and deleted after 90 days", async () => {
    for (let index = 0; index < 5; index += 1) await like(newId(), ada, bob);
    const all = await listOf(ada);
    const page = await listNotifications(ada.id, { page: 2, limit: 2, unread: false });
    expect(page).to.deep.equal({ items: all.slice(2, 4), page: 2, limit: 2, total: 5, total_pages: 3 });
    await markNotificationRead(callerOf(ada), all[0]!.id);
    const unread = await listNotifications(ada.id, { page: 1, limit: 2, unread: true });
    expect(unread).to.deep.include({ items: all.slice(1, 3), total: 4, total_pages: 2 });
    for (const table of ["notifications", "notification_events"])
      await query(`UPDATE ${table} SET created_at = now() - interval '91 days' WHERE user_id = $1`, [ada.id]);
    await followed(bob, ada);
    while ((await pruneNotifications(2)) > 0);
    expect((await listOf(ada)).map(({ type }) => type)).to.deep.equal(["follow"]);
    expect(await query("SELECT event_key FROM notification_events WHERE user_id = $1", [ada.id])).to.deep.equal([
      { event_key: `follow:${bob.id}` },
    ]);
  });
});

describe("notifyAllFollowers", () => {
  useDatabase();
  const published = usePublishedEvents();

  const notifiedOf = (roomId: string) =>
    query<{ user_id: string }>("SELECT user_id FROM notifications WHERE data ->> 'room_id' = $1", [roomId]);

  it("notifies all followers in batches, once however often it runs, and live those who are connected", async () => {
    const host = await buildUser();
    const room = await buildRoom({ host });
    const crowd = Array.from({ length: 1100 }, () => newId());
    await query(
      `INSERT INTO users (id, username, email, full_name, password_hash, settings)
       SELECT id, 'f' || id, id || '@example.com', 'Fan', 'x', '{}' FROM unnest($1::uuid[]) AS id`,
      [crowd],
    );
    await query(
      "INSERT INTO user_follows (follower_id, followed_id, created_at) SELECT unnest($1::uuid[]), $2, now()",
      [crowd, host.id],
    );
    await query(
      "INSERT INTO online_users (user_id, process_id, lease_until) VALUES ($1, 'p', now() + interval '1 min')",
      [crowd[700]],
    );
    await Promise.all([notifyAllFollowers({ room_id: room.id }), notifyAllFollowers({ room_id: room.id })]);
    await notifyAllFollowers({ room_id: room.id });
    const notified = await notifiedOf(room.id);
    expect(notified.map(({ user_id }) => user_id)).to.have.members(crowd);
    expect(await query("SELECT 1 FROM notifications WHERE actor_id = $1 AND events <> 1", [host.id])).to.deep.equal([]);
    const ids = (await published.of("notification.new", {})).flatMap(({ notification_ids }) => notification_ids);
    const pushed = await query<{ user_id: string }>("SELECT user_id FROM notifications WHERE id = ANY($1::uuid[])", [
      ids,
    ]);
    expect(pushed).to.deep.equal([{ user_id: crowd[700] }]);
  });

  it("skips rooms that are private or closed, or whose host is gone", async () => {
    const fan = await buildUser();
    const hidden = await buildRoom({ is_private: true });
    const [closed, suspended, leaving] = [await buildRoom(), await buildRoom(), await buildRoom()];
    await query("UPDATE rooms SET status = 'closed' WHERE id = $1", [closed.id]);
    await setStatus(suspended.host, "suspended");
    await setStatus(leaving.host, "deletion_pending");
    for (const room of [hidden, closed, suspended, leaving]) {
      await follow(fan, room.host);
      await notifyAllFollowers({ room_id: room.id });
      expect(await notifiedOf(room.id)).to.deep.equal([]);
    }
  });
});
