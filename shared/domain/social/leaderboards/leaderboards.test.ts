import { expect } from "chai";
import type { DomainEvent } from "#shared/contracts/domain-events.ts";
import { service as serviceItself } from "#shared/contracts/principal.ts";
import type { GiftTransaction, LeaderboardScope } from "#shared/contracts/views.ts";
import type { Recorder } from "#shared/db/outbox-recorder.ts";
import { query } from "#shared/db/query.ts";
import { reactivateUser, suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { firstIdAt, newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildRoom, buildUser } from "#shared/testing/factories.ts";
import { block, setStatus } from "#shared/testing/people.ts";
import { recordEvents } from "#shared/testing/record-events.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { getLeaderboard } from "./leaderboards.queries.ts";
import { activityPoints, scoreComment, scoreGame, scoreGift, scorePost } from "./record-scores.ts";
import { pruneLeaderboards } from "./scores.ts";
import { weekOf } from "./week.ts";

interface Giving {
  sender: { id: string };
  recipient: { id: string };
  room: { id: string };
  coins: number;
  at: string;
}

const giftEvent = ({ sender, recipient, room, coins, at }: Giving): DomainEvent<"gift.sent"> => ({
  topic: "gift.sent",
  payload: {
    transaction: {
      id: newId(),
      sender,
      recipient,
      room_id: room.id,
      total_coins: coins,
      created_at: at,
    } as GiftTransaction,
  },
});

const board = (viewer: { id: string }, scope: LeaderboardScope, limit = 20) =>
  getLeaderboard(viewer.id, { scope, limit });
const placesOf = async (viewer: { id: string }, scope: LeaderboardScope, limit?: number) => {
  const { items, me } = await board(viewer, scope, limit);
  return {
    items: items.map(({ rank, score, ...item }) => [rank, ("room" in item ? item.room : item.user).id, score]),
    me,
  };
};

describe("leaderboards", () => {
  useDatabase();
  const time = useClock();
  let week = 0;

  // Each test has a week of its own, far from those that other tests count in.
  beforeEach(() => {
    week += 1;
    time.forward(daysMs(7 * (500 + week)));
  });

  /** A moment of this test's week, so many seconds after it began. */
  const at = (seconds: number) => new Date(Date.parse(weekOf(clock.now()).startsAt) + seconds * 1000).toISOString();
  const recorders = {
    "gift.sent": scoreGift,
    "post.created": scorePost,
    "post.commented": scoreComment,
    "game.finished": scoreGame,
  };
  const record = <T extends keyof typeof recorders>({ topic, payload }: DomainEvent<T>) =>
    recordEvents(recorders[topic] as Recorder<T>, payload);

  it("count a gift for its sender, its recipient, the room's host and activity, but not the host's own gifts for the host", async () => {
    const [ada, bob, room] = await Promise.all([buildUser(), buildUser(), buildRoom()]);
    await record(giftEvent({ sender: ada, recipient: bob, room, coins: 30, at: at(1) }));
    await record(giftEvent({ sender: bob, recipient: ada, room, coins: 7, at: at(2) }));
    await record(giftEvent({ sender: room.host, recipient: ada, room, coins: 500, at: at(3) }));
    const { host } = room;
    expect(await placesOf(ada, "gift_senders")).to.deep.equal({
      items: [
        [1, host.id, 500],
        [2, ada.id, 30],
        [3, bob.id, 7],
      ],
      me: { rank: 2, score: 30 },
    });
    expect(await placesOf(bob, "gift_receivers")).to.deep.equal({
      items: [
        [1, ada.id, 507],
        [2, bob.id, 30],
      ],
      me: { rank: 2, score: 30 },
    });
    expect(await placesOf(ada, "top_hosts")).to.deep.equal({ items: [[1, host.id, 37]], me: null });
    const activity = await placesOf(host, "activity");
    expect(activity.items.map(([, , score]) => score)).to.deep.equal([5, 5, 5]);
    expect(activity.me).to.deep.equal({ rank: 3, score: 5 });
  });

  it("show the week, the user card and the room card", async () => {
    const [ada, bob, room] = await Promise.all([buildUser({ full_name: "Ada" }), buildUser(), buildRoom()]);
    await record(giftEvent({ sender: ada, recipient: bob, room, coins: 30, at: at(1) }));
    const shown = await board(bob, "gift_senders");
    const { startsAt, endsAt } = weekOf(clock.now());
    expect(shown).to.include({
      scope: "gift_senders",
      period: "weekly",
      starts_at: startsAt,
      ends_at: endsAt,
      me: null,
    });
    expect(shown.items[0])
      .to.have.property("user")
      .that.includes({ id: ada.id, username: ada.username, full_name: "Ada" });
    expect(shown.items[0]).not.to.have.property("room");
  });

  it("add up the gifts that many users send each other at once", async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => buildUser()));
    const room = await buildRoom({ host: people[0]! });
    const gifts = Array.from({ length: 120 }, (_, index) => {
      const [sender, recipient] = [people[index % 6]!, people[(index + 1 + (index % 5)) % 6]!];
      return giftEvent({ sender, recipient, room, coins: 1 + (index % 7), at: at(index) });
    });
    // As several processes would, some gifts at a time.
    const batches = Array.from({ length: 12 }, (_, index) => gifts.slice(index * 10, index * 10 + 10));
    await Promise.all(batches.map((batch) => recordEvents(scoreGift, ...batch.map(({ payload }) => payload))));
    const coins = Array.from({ length: 120 }, (_, index) => 1 + (index % 7)).reduce((sum, each) => sum + each, 0);
    for (const scope of ["gift_senders", "gift_receivers"] as const) {
      const { items } = await board(people[0]!, scope);
      expect(
        items.reduce((sum, { score }) => sum + score, 0),
        scope,
      ).to.equal(coins);
    }
  });

  it("rank equal scores by who reached them first, in whatever order events arrive", async () => {
    const [ada, bob, cid, room] = await Promise.all([buildUser(), buildUser(), buildUser(), buildRoom()]);
    const give = (sender: { id: string }, coins: number, seconds: number) =>
      record(giftEvent({ sender, recipient: room.host, room, coins, at: at(seconds) }));
    await give(ada, 10, 40);
    await give(bob, 4, 30);
    await give(cid, 10, 35);
    await give(bob, 6, 5);
    const { items } = await placesOf(ada, "gift_senders");
    expect(items.map(([, id]) => id)).to.deep.equal([bob.id, cid.id, ada.id]);
    const ranks = await Promise.all([ada, bob, cid].map(async (one) => (await board(one, "gift_senders")).me?.rank));
    expect(ranks).to.deep.equal([3, 1, 2]);
  });

  it("start over on Monday at midnight UTC, by the time of the gift", async () => {
    const [ada, bob, room] = await Promise.all([buildUser(), buildUser(), buildRoom()]);
    const { startsAt, endsAt } = weekOf(clock.now());
    const lastMoment = new Date(Date.parse(endsAt) - 1).toISOString();
    for (const [coins, moment] of [
      [1, startsAt],
      [20, lastMoment],
      [300, endsAt],
      [4000, new Date(Date.parse(startsAt) - 1).toISOString()],
    ] as const)
      await record(giftEvent({ sender: ada, recipient: bob, room, coins, at: moment }));
    expect((await board(ada, "gift_senders")).me?.score).to.equal(21);
    time.forward(Date.parse(endsAt) - clock.now() - 1000);
    expect((await board(ada, "gift_senders")).me?.score).to.equal(21);
    time.forward(1000);
    const next = await board(ada, "gift_senders");
    expect([next.starts_at, next.me?.score]).to.deep.equal([endsAt, 300]);
    time.forward(daysMs(7));
    expect(await placesOf(ada, "gift_senders")).to.deep.equal({ items: [], me: null });
  });

  it("count posts, and comments on other users' posts, by the time of their ids", async () => {
    const [ada, bob] = await Promise.all([buildUser(), buildUser()]);
    const ids = (seconds: number) => firstIdAt(Date.parse(at(seconds)));
    const comment = (user: { id: string }, author: { id: string }, seconds: number) =>
      record({
        topic: "post.commented",
        payload: { post_id: newId(), comment_id: ids(seconds), author_id: author.id, user_id: user.id },
      });
    await record({ topic: "post.created", payload: { post_id: ids(1), author_id: ada.id, visibility: "public" } });
    await comment(bob, ada, 2);
    await comment(ada, ada, 3);
    expect((await board(ada, "activity")).me?.score).to.equal(activityPoints.post);
    expect((await board(bob, "activity")).me?.score).to.equal(activityPoints.comment);
  });

  it("count a finished game", async () => {
    const [ada, bob] = await Promise.all([buildUser(), buildUser()]);
    const finish = (status: "finished" | "abandoned", bobsPlace: number | null) => {
      const standings = [
        { user_id: ada.id, score: 3, place: 1 },
        { user_id: bob.id, score: 1, place: bobsPlace },
      ];
      return record({
        topic: "game.finished",
        payload: { session_id: newId(), lobby_id: newId(), type: "ludo", status, standings },
      });
    };
    await finish("finished", 2);
    await finish("finished", null);
    await finish("abandoned", 2);
    const scores = await Promise.all([ada, bob].map(async (one) => (await board(one, "activity")).me?.score));
    expect(scores).to.deep.equal([2 * activityPoints.game, activityPoints.game]);
  });

  it("give no points to a player who was suspended during the game, which would leave a gap in others' ranks", async () => {
    const [ada, bob] = await Promise.all([buildUser(), buildUser()]);
    await suspendUser(serviceItself, bob.id, { reason: "spam" });
    const standings = [ada, bob].map(({ id }) => ({ user_id: id, score: 3, place: 1 }));
    const finished = { session_id: newId(), lobby_id: newId(), type: "ludo", status: "finished", standings } as const;
    await record({ topic: "game.finished", payload: finished });
    const scored = await query("SELECT subject_id FROM leaderboard_scores WHERE subject_id = ANY($1)", [
      [ada.id, bob.id],
    ]);
    expect(scored).to.deep.equal([{ subject_id: ada.id }]);
  });

  it("hide users whom the viewer can't see, without gaps in the ranks", async () => {
    const build = () => buildUser();
    const people = await Promise.all([build(), build(), build(), build(), build(), build(), build()]);
    const [first, blocker, blocked, suspended, leaving, last, stranger] = people;
    const room = await buildRoom();
    for (const [index, sender] of [first, blocker, blocked, suspended, leaving, last].entries())
      await record(giftEvent({ sender, recipient: room.host, room, coins: 100 - index, at: at(index) }));
    await block(blocker, last);
    await block(last, blocked);
    // In the service's own time: within the week of the board, as the clock that was moved has it.
    await suspendUser(serviceItself, suspended.id, { reason: "spam" });
    await query("UPDATE users SET suspended_at = $2 WHERE id = $1", [suspended.id, at(60)]);
    await setStatus(leaving, "deletion_pending");
    const rows = (...listed: { id: string }[]) =>
      listed.map(({ id }, index) => [index + 1, id, 100 - people.findIndex((person) => person.id === id)]);
    expect(await placesOf(last, "gift_senders")).to.deep.equal({
      items: rows(first, last),
      me: { rank: 2, score: 95 },
    });
    expect((await placesOf(stranger, "gift_senders")).items).to.deep.equal(rows(first, blocker, blocked, last));
    expect((await placesOf(blocker, "gift_senders")).me).to.deep.equal({ rank: 2, score: 99 });
    await reactivateUser(serviceItself, suspended.id);
    expect((await board(suspended, "gift_senders")).me).to.deep.equal({ rank: 4, score: 97 });
    expect(await placesOf(last, "gift_senders", 1)).to.deep.equal({ items: rows(first), me: { rank: 3, score: 95 } });
  });

  it("give a suspended host no points", async () => {
    const [ada, bob, room] = await Promise.all([buildUser(), buildUser(), buildRoom()]);
    await suspendUser(serviceItself, room.host.id, { reason: "spam" });
    await record(giftEvent({ sender: ada, recipient: bob, room, coins: 10, at: at(1) }));
    expect(await query("SELECT 1 FROM leaderboard_scores WHERE subject_id = $1", [room.host.id])).to.deep.equal([]);
  });

  it("are kept for nine weeks", async () => {
    const [ada, bob, room] = await Promise.all([buildUser(), buildUser(), buildRoom()]);
    const give = (days: number) =>
      record(
        giftEvent({
          sender: ada,
          recipient: bob,
          room,
          coins: 10,
          at: new Date(clock.now() - daysMs(days)).toISOString(),
        }),
      );
    await give(0);
    await give(56);
    await give(77);
    while ((await pruneLeaderboards(2)) > 0);
    const weeks = await query("SELECT 1 FROM leaderboard_scores WHERE subject_id = $1 AND scope = 'activity'", [
      ada.id,
    ]);
    expect(weeks).to.have.length(2);
  });
});
