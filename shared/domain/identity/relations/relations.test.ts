import { expect } from "chai";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { FriendRequest } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { getProfile } from "#shared/domain/identity/users/profile.queries.ts";
import { updateMe } from "#shared/domain/identity/users/update-me.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { callerOf, outcomeOf, setStatus } from "#shared/testing/people.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { acceptRequest, cancelRequest, rejectRequest } from "./answer-request.ts";
import { blockUser, unblockUser } from "./block-user.ts";
import { eraseRelations } from "./erase-relations.ts";
import { followUser, unfollowUser } from "./follow-user.ts";
import { listReceivedRequests, listSentRequests } from "./friend-requests.queries.ts";
import { pruneFriendRequests } from "./prune-requests.ts";
import { areFriends, listBlocked, listFollowers, listFollowing, listFriends } from "./relations.queries.ts";
import { requestFriend } from "./request-friend.ts";
import { unfriend } from "./unfriend.ts";

const build = async (): Promise<UserPrincipal> => callerOf(await buildUser());
const some = (count: number): Promise<UserPrincipal[]> => Promise.all(Array.from({ length: count }, build));

const page = { page: 1, limit: 100 };
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
const befriend = async (one: UserPrincipal, other: UserPrincipal) =>
  acceptRequest(other, (await requestFriend(one, other.userId)).request.id);

/** The counters that profiles show, and the rows that they count. */
const countsOf = ({ userId }: UserPrincipal) =>
  queryOne<{ followers: number; following: number; follower_rows: number; following_rows: number }>(
    `SELECT coalesce(n.followers_count, 0) AS followers, coalesce(n.following_count, 0) AS following,
       (SELECT count(*) FROM user_follows WHERE followed_id = u.id) AS follower_rows,
       (SELECT count(*) FROM user_follows WHERE follower_id = u.id) AS following_rows
     FROM users u LEFT JOIN user_counters n ON n.user_id = u.id WHERE u.id = $1`,
    [userId],
  );
const counted = (followers: number, following: number) => ({
  followers,
  following,
  follower_rows: followers,
  following_rows: following,
});

const suspend = ({ userId }: UserPrincipal) => setStatus({ id: userId }, "suspended");

describe("follows", () => {
  useDatabase();
  const published = usePublishedEvents();

  describe("of one user", () => {
    let ada: UserPrincipal;
    let bob: UserPrincipal;
    beforeEach(async () => {
      [ada, bob] = (await some(2)) as [UserPrincipal, UserPrincipal];
      await followUser(ada, bob.userId);
    });
    const relation = (is_following: boolean) => ({
      user_id: bob.userId,
      is_following,
      is_followed_by: false,
      friend_status: "none",
      is_blocked: false,
    });

    it("show in both profiles", async () => {
      expect(await getProfile(ada.userId, bob.userId)).to.include({ followers_count: 1, is_following: true });
      expect(await getProfile(bob.userId, ada.userId)).to.include({ following_count: 1, is_followed_by: true });
    });

    it("show in both lists", async () => {
      expect(idsOf(await listFollowers(bob.userId, page))).to.deep.equal([ada.userId]);
      expect(idsOf(await listFollowing(ada.userId, page))).to.deep.equal([bob.userId]);
    });

    it("are counted and published once when repeated", async () => {
      const event = { follower_id: ada.userId, followed_id: bob.userId };

      expect(await followUser(ada, bob.userId)).to.deep.equal(relation(true));

      expect(await countsOf(bob)).to.deep.equal(counted(1, 0));
      expect(await published.of("user.followed", event)).to.deep.equal([event]);
    });

    it("end once when unfollowing is repeated", async () => {
      expect(await unfollowUser(ada, bob.userId)).to.deep.equal(relation(false));
      expect(await unfollowUser(ada, bob.userId)).to.deep.equal(relation(false));

      expect(await countsOf(bob)).to.deep.equal(counted(0, 0));
    });
  });

  it("are rejected for yourself and for unknown users", async () => {
    const ada = await build();

    expect(await outcomeOf(followUser(ada, ada.userId))).to.equal("FORBIDDEN");
    expect(await outcomeOf(followUser(ada, newId()))).to.equal("NOT_FOUND");
    expect(await outcomeOf(unfollowUser(ada, newId()))).to.equal("NOT_FOUND");
  });

  it("of a suspended user are hidden, and can be ended but not begun", async () => {
    const [ada, bob] = (await some(2)) as [UserPrincipal, UserPrincipal];
    await followUser(ada, bob.userId);
    await suspend(bob);

    expect((await listFollowing(ada.userId, page)).total).to.equal(0);
    expect(await outcomeOf(unfollowUser(ada, bob.userId))).to.equal("ok");
    expect(await outcomeOf(followUser(ada, bob.userId))).to.equal("NOT_FOUND");
    expect(await countsOf(ada)).to.deep.equal(counted(0, 0));
  });

  it("keep their counters right under 50 concurrent toggles, in a ring, and with 50 concurrent followers", async () => {
    const [ada, bob, cid] = (await some(3)) as [UserPrincipal, UserPrincipal, UserPrincipal];
    const ring = [
      [ada, bob],
      [bob, cid],
      [cid, ada],
      [bob, ada],
    ] as const;
    const toggles = Array.from({ length: 50 }, (_, index) => {
      const [one, other] = ring[index % ring.length]!;
      return Math.random() < 0.6 ? followUser(one, other.userId) : unfollowUser(one, other.userId);
    });
    const crowd = await some(10);
    const joins = crowd.flatMap((one) => Array.from({ length: 5 }, () => followUser(one, ada.userId)));
    await Promise.all([...toggles, ...joins]);
    for (const one of [ada, bob, cid]) {
      const counts = (await countsOf(one))!;
      expect([counts.followers, counts.following]).to.deep.equal([counts.follower_rows, counts.following_rows]);
    }
    expect((await countsOf(ada))!.followers).to.be.within(10, 12);
  });

  it("are listed in pages, newest first", async () => {
    const [ada, ...crowd] = (await some(6)) as [UserPrincipal, ...UserPrincipal[]];
    for (const one of crowd) await followUser(one, ada.userId);
    const newest = crowd.map(({ userId }) => userId).toReversed();
    const second = await listFollowers(ada.userId, { page: 2, limit: 2 });
    expect(second).to.include({ page: 2, limit: 2, total: 5, total_pages: 3 });
    expect(idsOf(second)).to.deep.equal(newest.slice(2, 4));
  });
});

describe("friends", () => {
  useDatabase();
  const published = usePublishedEvents();

  describe("with a request", () => {
    let ada: UserPrincipal;
    let bob: UserPrincipal;
    let request: FriendRequest;
    beforeEach(async () => {
      [ada, bob] = (await some(2)) as [UserPrincipal, UserPrincipal];
      ({ request } = await requestFriend(ada, bob.userId));
    });

    it("see it in both profiles and lists while it is pending", async () => {
      expect(request).to.deep.include({ status: "pending" });
      expect([request.sender.id, request.recipient.id]).to.deep.equal([ada.userId, bob.userId]);
      expect(await getProfile(ada.userId, bob.userId)).to.include({ friend_status: "requested" });
      expect(await getProfile(bob.userId, ada.userId)).to.include({ friend_status: "incoming" });
      expect((await listReceivedRequests(bob.userId, page)).items).to.deep.equal([request]);
      expect((await listSentRequests(ada.userId, page)).items).to.deep.equal([request]);
      expect((await listReceivedRequests(ada.userId, page)).total).to.equal(0);
    });

    it("are friends once it is accepted", async () => {
      expect(await acceptRequest(bob, request.id)).to.deep.equal({ ...request, status: "accepted" });

      expect(await getProfile(bob.userId, ada.userId)).to.include({ friend_status: "friends" });
      expect(await areFriends(ada.userId, bob.userId)).to.equal(true);
      expect(await areFriends(bob.userId, ada.userId)).to.equal(true);
      expect(idsOf(await listFriends(ada.userId, page))).to.deep.equal([bob.userId]);
      expect((await listSentRequests(ada.userId, page)).total).to.equal(0);
    });

    it("publish the request and its acceptance once", async () => {
      const event = { request_id: request.id, sender_id: ada.userId, recipient_id: bob.userId };

      await acceptRequest(bob, request.id);

      expect(await published.of("friend.requested", event)).to.deep.equal([event]);
      expect(await published.of("friend.accepted", event)).to.deep.equal([event]);
    });

    it("can't send another once they are friends", async () => {
      await acceptRequest(bob, request.id);

      expect(await outcomeOf(requestFriend(bob, ada.userId))).to.equal("CONFLICT");
    });

    it("are no longer friends once either ends the friendship, also repeatedly", async () => {
      await acceptRequest(bob, request.id);

      expect(await unfriend(bob, ada.userId)).to.include({ friend_status: "none" });
      expect(await outcomeOf(unfriend(bob, ada.userId))).to.equal("ok");

      expect(await areFriends(ada.userId, bob.userId)).to.equal(false);
    });
  });

  it("become friends when both send a request, also at the same moment", async () => {
    for (let round = 0; round < 10; round += 1) {
      const [ada, bob] = (await some(2)) as [UserPrincipal, UserPrincipal];
      const both = await Promise.all([requestFriend(ada, bob.userId), requestFriend(bob, ada.userId)]);
      expect(both.map(({ created }) => created)).to.have.members([true, false]);
      expect(both.find(({ created }) => !created)!.request.status).to.equal("accepted");
      expect(both[0].request.id).to.equal(both[1].request.id);
      expect(await areFriends(ada.userId, bob.userId)).to.equal(true);
      expect(await published.of("friend.accepted", { request_id: both[0].request.id })).to.have.length(1);
    }
  });

  it("need one request, however many are sent at once", async () => {
    const [ada, bob] = (await some(2)) as [UserPrincipal, UserPrincipal];
    const codes = await Promise.all(Array.from({ length: 20 }, () => outcomeOf(requestFriend(ada, bob.userId))));
    expect(codes.filter((code) => code === "ok")).to.have.length(1);
    expect(codes.filter((code) => code === "REQUEST_ALREADY_PENDING")).to.have.length(19);
    expect(await published.of("friend.requested", { sender_id: ada.userId })).to.have.length(1);
  });

  it("answer a request once, whatever arrives at the same moment", async () => {
    for (let round = 0; round < 5; round += 1) {
      const [ada, bob] = (await some(2)) as [UserPrincipal, UserPrincipal];
      const { id } = (await requestFriend(ada, bob.userId)).request;
      const codes = await Promise.all([
        outcomeOf(acceptRequest(bob, id)),
        outcomeOf(rejectRequest(bob, id)),
        outcomeOf(cancelRequest(ada, id)),
        outcomeOf(acceptRequest(bob, id)),
      ]);
      expect(codes.toSorted()).to.deep.equal([
        "REQUEST_NOT_PENDING",
        "REQUEST_NOT_PENDING",
        "REQUEST_NOT_PENDING",
        "ok",
      ]);
      expect(await areFriends(ada.userId, bob.userId)).to.equal(codes[0] === "ok" || codes[3] === "ok");
    }
  });

  it("answer a request only from the right side", async () => {
    const [ada, bob, eve] = (await some(3)) as [UserPrincipal, UserPrincipal, UserPrincipal];
    const { id } = (await requestFriend(ada, bob.userId)).request;
    for (const act of [acceptRequest, rejectRequest, cancelRequest]) {
      expect(await outcomeOf(act(eve, id))).to.equal("NOT_FOUND");
      expect(await outcomeOf(act(ada, newId()))).to.equal("NOT_FOUND");
    }
    expect(await outcomeOf(acceptRequest(ada, id))).to.equal("FORBIDDEN");
    expect(await outcomeOf(rejectRequest(ada, id))).to.equal("FORBIDDEN");
    expect(await outcomeOf(cancelRequest(bob, id))).to.equal("FORBIDDEN");
    expect((await rejectRequest(bob, id)).status).to.equal("rejected");
    expect(await outcomeOf(cancelRequest(ada, id))).to.equal("REQUEST_NOT_PENDING");
    const again = await requestFriend(ada, bob.userId);
    expect((await cancelRequest(ada, again.request.id)).status).to.equal("cancelled");
    expect(await getProfile(bob.userId, ada.userId)).to.include({ friend_status: "none" });
  });

  it("can't be asked if they accept no requests, but a request of theirs can be answered by one", async () => {
    const [ada, bob] = (await some(2)) as [UserPrincipal, UserPrincipal];
    await updateMe(bob, { settings: { privacy: { allow_friend_requests: "nobody" } } });
    expect(await outcomeOf(requestFriend(ada, bob.userId))).to.equal("FORBIDDEN");
    await requestFriend(bob, ada.userId);
    expect((await requestFriend(ada, bob.userId)).request.status).to.equal("accepted");
  });

  it("exclude yourself, unknown and suspended users, whose requests wait until they are back", async () => {
    const [ada, bob] = (await some(2)) as [UserPrincipal, UserPrincipal];
    for (const act of [requestFriend, unfriend]) {
      expect(await outcomeOf(act(ada, ada.userId))).to.equal("FORBIDDEN");
      expect(await outcomeOf(act(ada, newId()))).to.equal("NOT_FOUND");
    }
    const { id } = (await requestFriend(ada, bob.userId)).request;
    await suspend(ada);
    expect((await listReceivedRequests(bob.userId, page)).total).to.equal(0);
    expect(await outcomeOf(acceptRequest(bob, id))).to.equal("NOT_FOUND");
    await setStatus({ id: ada.userId }, "active");
    expect(await outcomeOf(acceptRequest(bob, id))).to.equal("ok");
  });

  it("keep answered requests for a month", async () => {
    const [ada, bob, cid] = (await some(3)) as [UserPrincipal, UserPrincipal, UserPrincipal];
    await befriend(ada, bob);
    await requestFriend(ada, cid.userId);
    await pruneFriendRequests();
    const left = () => query("SELECT status FROM friend_requests WHERE sender_id = $1 ORDER BY id", [ada.userId]);
    expect(await left()).to.deep.equal([{ status: "accepted" }, { status: "pending" }]);
    await query("UPDATE friend_requests SET answered_at = answered_at - interval '31 days' WHERE sender_id = $1", [
      ada.userId,
    ]);
    expect(await pruneFriendRequests()).to.equal(1);
    expect(await left()).to.deep.equal([{ status: "pending" }]);
  });
});

describe("blocks", () => {
  useDatabase();
  const published = usePublishedEvents();

  it("remove follows, friendship and requests both ways, and are published once", async () => {
    const [ada, bob, cid] = (await some(3)) as [UserPrincipal, UserPrincipal, UserPrincipal];
    await Promise.all([followUser(ada, bob.userId), followUser(bob, ada.userId), followUser(cid, ada.userId)]);
    await befriend(ada, bob);
    const cut = { is_following: false, is_followed_by: false, friend_status: "none" };
    const blocked = await blockUser(ada, bob.userId);
    expect(blocked).to.deep.equal({ user_id: bob.userId, ...cut, is_blocked: true });
    expect(await blockUser(ada, bob.userId)).to.deep.equal(blocked);
    expect(await published.of("user.blocked", { blocker_id: ada.userId })).to.deep.equal([
      { blocker_id: ada.userId, blocked_id: bob.userId },
    ]);
    expect([await countsOf(ada), await countsOf(bob)]).to.deep.equal([counted(1, 0), counted(0, 0)]);
    expect(await areFriends(bob.userId, ada.userId)).to.equal(false);
    expect(idsOf(await listBlocked(ada.userId, page))).to.deep.equal([bob.userId]);
    expect((await listBlocked(bob.userId, page)).total).to.equal(0);
    expect(await unblockUser(ada, bob.userId)).to.deep.equal({ user_id: bob.userId, ...cut, is_blocked: false });
    expect(await outcomeOf(unblockUser(ada, bob.userId))).to.equal("ok");
    expect(await getProfile(bob.userId, ada.userId)).to.include(cut);
  });

  for (const [from, to] of [
    ["the blocker", "the blocked"],
    ["the blocked", "the blocker"],
  ] as const)
    it(`cancel a request of ${from} to ${to}`, async () => {
      const [ada, bob] = (await some(2)) as [UserPrincipal, UserPrincipal];
      const [sender, recipient] = from === "the blocker" ? [ada, bob] : [bob, ada];
      const { id } = (await requestFriend(sender, recipient.userId)).request;
      await blockUser(ada, bob.userId);
      expect(await outcomeOf(acceptRequest(recipient, id))).to.equal("REQUEST_NOT_PENDING");
      expect((await listReceivedRequests(recipient.userId, page)).total).to.equal(0);
    });

  it("prevent every interaction, from either side", async () => {
    const [ada, bob] = (await some(2)) as [UserPrincipal, UserPrincipal];
    await blockUser(ada, bob.userId);
    expect(await getProfile(ada.userId, bob.userId)).to.include({ id: bob.userId, is_blocked: true });
    expect(await outcomeOf(getProfile(bob.userId, ada.userId))).to.equal("NOT_FOUND");
    for (const act of [followUser, requestFriend]) {
      expect(await outcomeOf(act(ada, bob.userId))).to.equal("BLOCKED");
      expect(await outcomeOf(act(bob, ada.userId))).to.equal("NOT_FOUND");
    }
    for (const act of [unfollowUser, unfriend, unblockUser])
      expect(await outcomeOf(act(bob, ada.userId))).to.equal("NOT_FOUND");
  });

  it("can be mutual, and hold until the last one is lifted", async () => {
    const [ada, bob] = (await some(2)) as [UserPrincipal, UserPrincipal];
    await Promise.all([blockUser(ada, bob.userId), blockUser(bob, ada.userId)]);
    for (const [one, other] of [
      [ada, bob],
      [bob, ada],
    ] as const) {
      expect(await outcomeOf(getProfile(one.userId, other.userId))).to.equal("NOT_FOUND");
      expect(idsOf(await listBlocked(one.userId, page))).to.deep.equal([other.userId]);
    }
    await unblockUser(ada, bob.userId);
    expect(await outcomeOf(followUser(ada, bob.userId))).to.equal("NOT_FOUND");
    await unblockUser(bob, ada.userId);
    expect(await outcomeOf(followUser(ada, bob.userId))).to.equal("ok");
  });

  it("are rejected for yourself and for unknown users", async () => {
    const [ada] = (await some(1)) as [UserPrincipal];
    expect(await outcomeOf(blockUser(ada, ada.userId))).to.equal("FORBIDDEN");
    expect(await outcomeOf(unblockUser(ada, ada.userId))).to.equal("FORBIDDEN");
    expect(await outcomeOf(blockUser(ada, newId()))).to.equal("NOT_FOUND");
    expect(await outcomeOf(unblockUser(ada, newId()))).to.equal("NOT_FOUND");
  });

  it("leave no relation that was created at the same moment", async () => {
    for (let round = 0; round < 10; round += 1) {
      const [ada, bob] = (await some(2)) as [UserPrincipal, UserPrincipal];
      await Promise.all([
        outcomeOf(followUser(ada, bob.userId)),
        outcomeOf(requestFriend(bob, ada.userId)),
        blockUser(ada, bob.userId),
        outcomeOf(followUser(bob, ada.userId)),
        outcomeOf(requestFriend(ada, bob.userId)),
      ]);
      expect([await countsOf(ada), await countsOf(bob)]).to.deep.equal([counted(0, 0), counted(0, 0)]);
      expect(await areFriends(ada.userId, bob.userId)).to.equal(false);
      expect((await listReceivedRequests(ada.userId, page)).total).to.equal(0);
      expect((await listReceivedRequests(bob.userId, page)).total).to.equal(0);
    }
  });
});

describe("relations of a deleted account", () => {
  useDatabase();

  it("are erased, and all counters updated", async () => {
    const [gone, ...crowd] = (await some(8)) as [UserPrincipal, ...UserPrincipal[]];
    const [ada, bob, cid] = crowd as [UserPrincipal, UserPrincipal, UserPrincipal];
    await Promise.all(crowd.map((one) => followUser(one, gone.userId)));
    await Promise.all([followUser(gone, ada.userId), followUser(gone, bob.userId), followUser(bob, ada.userId)]);
    await befriend(ada, gone);
    await requestFriend(gone, bob.userId);
    await blockUser(cid, gone.userId);
    const erase = () => inTransaction((tx) => eraseRelations(tx, gone.userId));
    while ((await erase()) > 0);
    expect([await countsOf(gone), await countsOf(ada), await countsOf(bob)]).to.deep.equal([
      counted(0, 0),
      counted(1, 0),
      counted(0, 1),
    ]);
    expect((await listFriends(ada.userId, page)).total).to.equal(0);
    expect((await listReceivedRequests(bob.userId, page)).total).to.equal(0);
    expect((await listBlocked(cid.userId, page)).total).to.equal(0);
  });
});
