import { defineJob } from "#shared/db/jobs.ts";
import { queryColumn, queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { alwaysLiveMax, notify } from "#shared/domain/social/notifications/notify.ts";
import { clock, secondsMs } from "#shared/kernel/clock.ts";
import type { Audience, BroadcastStatus } from "./managed-broadcasts.ts";

const options = { retries: 3, retryMaxSeconds: 60, timeoutSeconds: 300 } as const;

/** Sends due broadcasts. Run every minute. */
export const broadcastsJob = defineJob("notifications.broadcasts", { ...options, exclusive: true });

/** Sends due broadcasts when one is created that is due at once: a run that is about to end may not see it. */
export const broadcastNowJob = defineJob("notifications.broadcast_now", options);

/** How long a run begins new batches, seconds: less than its timeout. The next run continues. */
const runSeconds = 240;
const batchSize = 500;
/** How many broadcasts are sent in turns. */
const openMax = 20;

/** Sends due broadcasts, a batch of each in turn, so that a small one doesn't wait for a large one. */
export async function sendDueBroadcasts(): Promise<void> {
  for (const endsAt = clock.now() + secondsMs(runSeconds); clock.now() < endsAt; ) {
    const due = await queryColumn(
      `SELECT id FROM broadcasts WHERE status IN ('scheduled', 'sending') AND scheduled_at <= now()
       ORDER BY scheduled_at LIMIT ${openMax}`,
    );
    if (due.length === 0) return;
    for (const id of due) await sendNextBatch(id);
  }
}

interface OpenBroadcast {
  readonly status: BroadcastStatus;
  readonly audience: Audience;
  readonly country: string | null;
  readonly user_ids: readonly string[] | null;
}

/**
 * Notifies the next users of a broadcast, unless it has ended. Batches of one broadcast wait here for each other and
 * for its stop; the cursor moves with the commit, so a killed run loses no user and repeats none.
 */
export function sendNextBatch(id: string, size = batchSize): Promise<void> {
  return inTransaction(async (tx) => {
    const [broadcast] = await tx.query<OpenBroadcast & Record<string, unknown>>(
      `SELECT status, audience, country, user_ids FROM broadcasts
       WHERE id = $1 AND status IN ('scheduled', 'sending') FOR UPDATE`,
      [id],
    );
    if (!broadcast) return;
    if (broadcast.status === "scheduled") await startSending(tx, id, broadcast);

    const userIds = await nextUsers(tx, id, broadcast, size);
    const key = `broadcast:${id}`;
    const event = { type: "announcement", setting: null, actorId: null, eventKey: key, groupKey: key } as const;
    const notified = await notify(
      tx,
      userIds.map((receiverId) => ({ ...event, receiverId, data: { broadcast_id: id } })),
      { onlyConnected: userIds.length > alwaysLiveMax },
    );
    await tx.query(
      `UPDATE broadcasts SET cursor = coalesce($2, cursor), notified = notified + $3,
         status = CASE WHEN $4 THEN 'sent' ELSE status END, ended_at = CASE WHEN $4 THEN now() END
       WHERE id = $1`,
      [id, userIds.at(-1) ?? null, notified, userIds.length < size],
    );
  });
}

/** SQL: selects the users rows `u` who can be notified. */
const isNotified = "u.status IN ('active', 'deletion_pending')";

/** SQL: selects the audience among users rows `u`. `value` is the placeholder of its value. */
const inAudience: { readonly [A in Audience]: (value: string) => string } = {
  all: () => "true",
  vip: () => "EXISTS (SELECT 1 FROM vip_periods v WHERE v.user_id = u.id AND v.ended_at IS NULL AND v.ends_at > now())",
  country: (value) => `u.country = ${value}`,
  user_ids: (value) => `u.id = ANY(${value}::uuid[])`,
};

/** The value of the audience's placeholder, if it has one. */
const valuesOf = ({ country, user_ids }: OpenBroadcast): unknown[] =>
  [country, user_ids].filter((value) => value !== null);

async function startSending(tx: Tx, id: string, broadcast: OpenBroadcast): Promise<void> {
  await tx.query(
    `UPDATE broadcasts SET status = 'sending', started_at = now(),
       recipients = (SELECT count(*) FROM users u WHERE ${isNotified} AND ${inAudience[broadcast.audience]("$2")})
     WHERE id = $1`,
    [id, ...valuesOf(broadcast)],
  );
}

/** The audiences that can be counted before there is a broadcast. */
export type CountedAudience = Exclude<Audience, "user_ids">;

/** Returns how many users of an audience can be notified now. */
export async function countUsers(audience: CountedAudience, country?: string): Promise<number> {
  const row = await queryOne<{ recipients: number }>(
    `SELECT count(*) AS recipients FROM users u WHERE ${isNotified} AND ${inAudience[audience]("$1")}`,
    country === undefined ? [] : [country],
  );
  return row!.recipients;
}

/** Returns the next users by ID. Leaves out those who registered after sending began. */
async function nextUsers(tx: Tx, id: string, broadcast: OpenBroadcast, size: number): Promise<string[]> {
  const users = await tx.query<{ id: string }>(
    `SELECT u.id FROM users u
     WHERE u.id > (SELECT cursor FROM broadcasts WHERE id = $1) AND ${isNotified}
       AND u.created_at <= (SELECT started_at FROM broadcasts WHERE id = $1)
       AND ${inAudience[broadcast.audience]("$3")}
     ORDER BY u.id LIMIT $2`,
    [id, size, ...valuesOf(broadcast)],
  );
  return users.map((user) => user.id);
}
