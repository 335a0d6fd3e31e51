import { expect } from "chai";
import type { LeaderboardScope } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { clock, daysMs, minutesMs } from "#shared/kernel/clock.ts";
import { firstIdAt, newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { block, setStatus } from "#shared/testing/people.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { countMinutes, messagePointsMax } from "./count-minutes.ts";
import { getLeaderboard } from "./leaderboards.queries.ts";
import { weekOf } from "./week.ts";

const minuteMs = minutesMs(1);

type Six<T> = [T, T, T, T, T, T];

describe("countMinutes", () => {
  useDatabase();
  const time = useClock();
  /** What `countMinutes` takes for now. The service's own clock stays: a job of it may be counting beside this. */
  let nowMs = 0;
  let week = 0;

  // Each test has its own week, and begins 40 s after an uncounted minute.
  beforeEach(async () => {
    week += 1;
    nowMs = Date.parse(weekOf(clock.now() + daysMs(7 * (900 + week))).startsAt) + 100 * minuteMs + 40_000;
    await query("DELETE FROM leaderboard_minutes");
  });

  const count = () => countMinutes(nowMs);
  /** A moment in the minute before this one, so many seconds after it began. */
  const lastMinute = (seconds: number) => Math.floor(nowMs / minuteMs - 1) * minuteMs + seconds * 1000;
  /** The board as it is then. */
  const board = async (viewer: BuiltUser, scope: LeaderboardScope) => {
    const realMs = clock.now();
    time.forward(nowMs - realMs);
    try {
      return await getLeaderboard(viewer.id, { scope, limit: 20 });
    } finally {
      time.forward(realMs - nowMs);
    }
  };
  const messageAt = async (atMs: number, room: BuiltRoom, user: BuiltUser, kind = "text") => {
    const id = firstIdAt(atMs).slice(0, 24) + newId().slice(24);
    await query(
      "INSERT INTO room_messages (id, room_id, user_id, kind, body, created_at) VALUES ($1, $2, $3, $4, 'Hi', $5)",
      [id, room.id, user.id, kind, new Date(atMs).toISOString()],
    );
    return id;
  };
  const directMessageAt = async (atMs: number, from: BuiltUser, to: BuiltUser) => {
    const [conversationId, id] = [newId(), firstIdAt(atMs).slice(0, 24) + newId().slice(24)];
    const [low, high] = [from.id, to.id].sort();
    await query("INSERT INTO conversations (id, low_user_id, high_user_id, started_by) VALUES ($1, $2, $3, $2)", [
      conversationId,
      low,
      high,
    ]);
    await query(
      "INSERT INTO direct_messages (id, conversation_id, sender_id, body, created_at) VALUES ($1, $2, $3, 'Hi', $4)",
      [id, conversationId, from.id, new Date(atMs).toISOString()],
    );
  };
  const enter = async (room: BuiltRoom, user: BuiltUser, lease = "1 minute") => {
    await query("INSERT INTO room_presence (user_id, room_id, join_id) VALUES ($1, $2, $3)", [
      user.id,
      room.id,
      newId(),
    ]);
    await query("INSERT INTO online_users (user_id, process_id, lease_until) VALUES ($1, $2, now() + $3::interval)", [
      user.id,
      newId(),
      lease,
    ]);
  };
  const scoreOf = async (user: BuiltUser) => (await board(user, "activity")).me?.score ?? 0;
  const roomsFor = async (viewer: BuiltUser) => {
    const { items, me } = await board(viewer, "popular_rooms");
    return { items: items.map(({ rank, score, ...item }) => [rank, "room" in item && item.room.id, score]), me };
  };

  it("counts messages in rooms and conversations, up to a maximum for each user and minute", async () => {
    const [ada, bob, cid, room] = await Promise.all([buildUser(), buildUser(), buildUser(), buildRoom()]);
    await messageAt(lastMinute(0), room, ada);
    await messageAt(lastMinute(59.999), room, ada);
    await directMessageAt(lastMinute(30), ada, bob);
    for (let second = 0; second < 30; second += 1) await messageAt(lastMinute(second), room, bob);
    await messageAt(lastMinute(-0.001), room, cid);
    await messageAt(lastMinute(60), room, cid);
    await messageAt(lastMinute(5), room, cid, "system");
    await query("UPDATE room_messages SET deleted_at = now() WHERE id = $1", [
      await messageAt(lastMinute(6), room, cid),
    ]);
    await Promise.all([count(), count(), count()]);
    await count();
    expect(await Promise.all([ada, bob, cid].map((one) => scoreOf(one)))).to.deep.equal([3, messagePointsMax, 0]);
  });

  it("waits until a minute is over, and catches up on missed minutes of the last day", async () => {
    const [ada, room] = await Promise.all([buildUser(), buildRoom()]);
    await count();
    await messageAt(lastMinute(61), room, ada);
    await count();
    expect(await scoreOf(ada)).to.equal(0);
    for (let minute = 2; minute < 12; minute += 1) await messageAt(lastMinute(60 * minute), room, ada);
    nowMs += 11 * minuteMs;
    await count();
    expect(await scoreOf(ada)).to.equal(11);
    await messageAt(lastMinute(61), room, ada);
    nowMs += daysMs(1) + 2 * minuteMs;
    await count();
    const [counted] = await query("SELECT count(*) FROM leaderboard_minutes WHERE minute > now() + interval '1 year'");
    expect(counted).to.deep.equal({ count: 12 + 24 * 60 });
    expect(await scoreOf(ada)).to.equal(11);
  });

  it("counts a minute for everyone in a room but its host", async () => {
    const [ada, bob, cid, gone] = await Promise.all([buildUser(), buildUser(), buildUser(), buildUser()]);
    const [quiet, lively, empty] = [await buildRoom(), await buildRoom(), await buildRoom()];
    await enter(lively, ada);
    await enter(lively, bob);
    await enter(lively, lively.host);
    await enter(quiet, cid);
    await enter(quiet, gone, "-1 second");
    await enter(empty, empty.host);
    await count();
    await count();
    const first = [
      [1, lively.id, 2],
      [2, quiet.id, 1],
    ];
    expect(await roomsFor(ada)).to.deep.equal({ items: first, me: null });
    nowMs += minuteMs;
    await count();
    expect((await roomsFor(quiet.host)).me).to.deep.equal({ rank: 2, score: 2 });
    expect((await roomsFor(lively.host)).me).to.deep.equal({ rank: 1, score: 4 });
    // Two minutes at once: who was there in the first of them is not known any more.
    nowMs += 2 * minuteMs;
    await count();
    expect((await roomsFor(lively.host)).me?.score).to.equal(6);
    await query("DELETE FROM room_presence");
  });

  it("hides closed and private rooms, and rooms of hosts who are gone or blocked, without gaps in the ranks", async () => {
    const ada = await buildUser();
    const rooms = [];
    for (const _ of Array(6)) rooms.push(await buildRoom());
    const [closed, hidden, suspended, leaving, blocked, open] = rooms as Six<BuiltRoom>;
    const second = await buildRoom({ host: open.host });
    for (const [index, room] of [...rooms, second].entries())
      for (let visitors = 9 - index; visitors > 0; visitors -= 1) await enter(room, await buildUser());
    await count();
    expect((await roomsFor(open.host)).me).to.deep.equal({ rank: 6, score: 4 });
    await query("UPDATE rooms SET status = 'closed' WHERE id = $1", [closed.id]);
    await query("UPDATE rooms SET is_private = true WHERE id = $1", [hidden.id]);
    await setStatus(suspended.host, "suspended");
    await setStatus(leaving.host, "deletion_pending");
    await block(blocked.host, ada);
    await block(open.host, blocked.host);
    const seen = [
      [1, open.id, 4],
      [2, second.id, 3],
    ];
    expect((await roomsFor(ada)).items).to.deep.equal(seen);
    expect(await roomsFor(open.host)).to.deep.equal({ items: seen, me: { rank: 1, score: 4 } });
    expect((await roomsFor(await buildUser())).items.map(([, id]) => id)).to.deep.equal([
      blocked.id,
      open.id,
      second.id,
    ]);
    expect((await roomsFor(closed.host)).me).to.equal(null);
    await query("DELETE FROM room_presence");
  });
});
