import { defineJob } from "#shared/db/jobs.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { clock, daysMs, minutesMs, secondsMs } from "#shared/kernel/clock.ts";
import { firstIdAt } from "#shared/kernel/ids.ts";
import { addPoints, type Points } from "./scores.ts";
import { weekOf } from "./week.ts";

/** Counts what is too frequent for domain events: messages, and the people in rooms. Runs every minute. */
export const countMinutesJob = defineJob("leaderboards.minutes", {
  retries: 2,
  retryMaxSeconds: 10,
  timeoutSeconds: 50,
  exclusive: true,
});

/** Maximum points in `activity` that messages can earn a user in a minute. */
export const messagePointsMax = 5;

const minuteMs = minutesMs(1);
/** A message may be stored some time after its id was created: the statement timeout is the limit. */
const settledMs = secondsMs(30);
/** How far back uncounted minutes are caught up. */
const catchUpMs = daysMs(1);

/**
 * Counts the minutes that are over and not yet counted, each once however often and by how many processes at once this
 * is called. Who was in which room is only known for the last minute.
 */
export async function countMinutes(nowMs = clock.now()): Promise<void> {
  const endMs = Math.floor((nowMs - settledMs) / minuteMs) * minuteMs;
  const last = await queryOne<{ minute: string | null }>(
    "SELECT max(minute) AS minute FROM leaderboard_minutes WHERE minute < $1",
    [new Date(endMs).toISOString()],
  );
  const nextMs = last?.minute ? Date.parse(last.minute) + minuteMs : endMs - minuteMs;
  for (let startMs = Math.max(nextMs, endMs - catchUpMs); startMs < endMs; startMs += minuteMs)
    await countMinute(startMs, { isLast: startMs === endMs - minuteMs });
}

async function countMinute(startMs: number, { isLast }: { isLast: boolean }): Promise<void> {
  await inTransaction(async (tx) => {
    const [fresh] = await tx.query(
      "INSERT INTO leaderboard_minutes (minute) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1",
      [new Date(startMs).toISOString()],
    );
    if (!fresh) return;
    const endMs = startMs + minuteMs;
    const visits = isLast ? await pointsOfVisits(startMs, endMs) : [];
    await addPoints(tx, [...(await pointsOfMessages(startMs, endMs)), ...visits]);
  });
}

/** One point for each message in a room or a conversation, up to the maximum. */
export async function pointsOfMessages(startMs: number, endMs: number): Promise<Points[]> {
  const rows = await query<{ user_id: string; messages: number; at: string }>(
    `SELECT user_id, sum(messages)::bigint AS messages, max(at) AS at FROM (
       SELECT user_id, count(*) AS messages, max(created_at) AS at FROM room_messages
       WHERE id >= $1 AND id < $2 AND kind = 'text' AND deleted_at IS NULL GROUP BY user_id
       UNION ALL
       SELECT sender_id, count(*), max(created_at) FROM direct_messages WHERE id >= $1 AND id < $2 GROUP BY sender_id
     ) AS said GROUP BY user_id`,
    [firstIdAt(startMs), firstIdAt(endMs)],
  );
  return rows.map(({ user_id, messages, at }) => ({
    scope: "activity",
    week: weekOf(startMs).monday,
    subjectId: user_id,
    points: Math.min(messages, messagePointsMax),
    at,
  }));
}

/** One minute for each person in an open room that everyone can see, except its host. */
async function pointsOfVisits(startMs: number, endMs: number): Promise<Points[]> {
  const rows = await query<{ room_id: string; visitors: number }>(
    `SELECT p.room_id, count(*) AS visitors FROM room_presence p JOIN rooms r ON r.id = p.room_id
     WHERE r.status = 'open' AND NOT r.is_private AND p.user_id <> r.host_id
       AND EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = p.user_id AND o.lease_until > now())
     GROUP BY p.room_id`,
  );
  const [week, at] = [weekOf(startMs).monday, new Date(endMs).toISOString()];
  return rows.map(({ room_id, visitors }) => ({
    scope: "popular_rooms",
    week,
    subjectId: room_id,
    points: visitors,
    at,
  }));
}
