import type { DomainEvents } from "#shared/contracts/domain-events.ts";
import type { Recorder } from "#shared/db/outbox-recorder.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { timeOfId } from "#shared/kernel/ids.ts";
import { addPoints, type Points } from "./scores.ts";
import { weekOf } from "./week.ts";

/** Points in `activity` for each of these. A message earns one, see `count-minutes.ts`. */
export const activityPoints = { gift: 5, post: 5, comment: 2, game: 5 } as const;

/** Points count in the week in which they were earned. */
const mondayOf = (at: string): string => weekOf(Date.parse(at)).monday;

/** The coins count for the sender, the recipient, and the host of the room, unless the host is the sender. */
export const scoreGift: Recorder<"gift.sent"> = async (tx, events) => {
  const rows = await tx.query<{ room_id: string; host_id: string }>(
    `SELECT r.id AS room_id, u.id AS host_id FROM rooms r JOIN users u ON u.id = r.host_id
     WHERE r.id = ANY($1::uuid[]) AND u.status IN ('active', 'deletion_pending')`,
    [[...new Set(events.map(({ transaction }) => transaction.room_id))]],
  );
  const hosts = new Map(rows.map(({ room_id, host_id }) => [room_id, host_id]));
  await addPoints(
    tx,
    events.flatMap(({ transaction }) => pointsOfGift(transaction, hosts.get(transaction.room_id))),
  );
};

function pointsOfGift(
  { sender, recipient, total_coins, created_at: at }: DomainEvents["gift.sent"]["transaction"],
  hostId: string | undefined,
): Points[] {
  const week = mondayOf(at);
  const points: Points[] = [
    { scope: "gift_senders", week, subjectId: sender.id, points: total_coins, at },
    { scope: "gift_receivers", week, subjectId: recipient.id, points: total_coins, at },
    { scope: "activity", week, subjectId: sender.id, points: activityPoints.gift, at },
  ];
  if (hostId && hostId !== sender.id)
    points.push({ scope: "top_hosts", week, subjectId: hostId, points: total_coins, at });
  return points;
}

export const scorePost: Recorder<"post.created"> = (tx, events) =>
  addPoints(
    tx,
    events.map(({ author_id, post_id }) => activity(author_id, post_id, activityPoints.post)),
  );

/** Comments on your own posts earn nothing. */
export const scoreComment: Recorder<"post.commented"> = (tx, events) =>
  addPoints(
    tx,
    events
      .filter(({ user_id, author_id }) => user_id !== author_id)
      .map(({ user_id, comment_id }) => activity(user_id, comment_id, activityPoints.comment)),
  );

/** For all who played a game to its end, unless they were suspended during it. */
export const scoreGame: Recorder<"game.finished"> = async (tx, events) => {
  const players = events
    .filter(({ status }) => status === "finished")
    .flatMap(({ standings }) => standings.filter(({ place }) => place !== null).map(({ user_id }) => user_id));
  const rows = await tx.query<{ id: string }>(
    "SELECT id FROM users WHERE id = ANY($1::uuid[]) AND status IN ('active', 'deletion_pending')",
    [players],
  );
  const active = new Set(rows.map(({ id }) => id));
  const at = isoNow();
  const won = { scope: "activity", week: mondayOf(at), points: activityPoints.game, at } as const;
  await addPoints(
    tx,
    players.filter((id) => active.has(id)).map((subjectId) => ({ ...won, subjectId })),
  );
};

/** For something that a user created. Its id says when. */
function activity(userId: string, createdId: string, points: number): Points {
  const at = new Date(timeOfId(createdId)).toISOString();
  return { scope: "activity", week: mondayOf(at), subjectId: userId, points, at };
}
