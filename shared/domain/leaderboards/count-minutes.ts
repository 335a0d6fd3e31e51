import { defineJob } from "#shared/db/jobs.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { clock, daysMs, minutesMs, secondsMs } from "#shared/kernel/clock.ts";
import { firstIdAt } from "#shared/kernel/ids.ts";
import { addPoints, type Points } from "./scores.ts";

/** Counts what is too frequent for an event of its own: messages, and how many people are in rooms. Runs every minute. */
export const countMinutesJob = defineJob("leaderboards.minutes", {
  retries: 2,
  retryMaxSeconds: 10,
  timeoutSeconds: 50,
  exclusive: true,
});

/** What messages can bring one person in a minute, in `activity`, however many they are. */
export const messagePointsMax = 5;

const minuteMs = minutesMs(1);
/** A message may be stored a while after its id was made: the database ends every statement sooner. */
const settledMs = secondsMs(30);
/** Minutes that nobody has counted are caught up as far back as this. */
const catchUpMs = daysMs(1);

/**
 * Counts the minutes that are over and were not counted yet, each once however often and by how many processes at once
 * this is called. Who was in which room is known of the last minute only.
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
    const visits = isLast ? await pointsOfVisits(new Date(endMs).toISOString()) : [];
    await addPoints(tx, startMs, [...(await pointsOfMessages(startMs, endMs)), ...visits]);
  });
}

/** A point for each message in a room or a conversation, up to the most. */
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
    subjectId: user_id,
    points: Math.min(messages, messagePointsMax),
    at,
  }));
}

/** A minute for each person who is in an open room that everybody may see; the host's own do not count. */
async function pointsOfVisits(at: string): Promise<Points[]> {
  const rows = await query<{ room_id: string; visitors: number }>(
    `SELECT p.room_id, count(*) AS visitors FROM room_presence p JOIN rooms r ON r.id = p.room_id
     WHERE r.status = 'open' AND NOT r.is_private AND p.user_id <> r.host_id
       AND EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = p.user_id AND o.lease_until > now())
     GROUP BY p.room_id`,
  );
  return rows.map(({ room_id, visitors }) => ({ scope: "popular_rooms", subjectId: room_id, points: visitors, at }));
}
