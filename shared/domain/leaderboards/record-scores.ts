import type { DomainEvents } from "#shared/contracts/domain-events.ts";
import type { Recorder } from "#shared/db/outbox-recorder.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { timeOfId } from "#shared/kernel/ids.ts";
import { addPoints, type Points } from "./scores.ts";
import { weekOf } from "./week.ts";

/** Points in `activity` for each of these. A message earns one, see `count-minutes.ts`. */
export const activityPoints = { gift: 5, post: 5, comment: 2, game: 5 } as const;

type Won = Omit<Points, "week">;

/** Points count in the week in which they were earned. */
const inWeek = (won: Won): Points => ({ ...won, week: weekOf(Date.parse(won.at)).monday });

/** The coins count for the sender, the recipient, and the host of the room, unless the host is the sender. */
export const scoreGift: Recorder<"gift.sent"> = async (tx, events) => {
  const rows = await tx.query<{ room_id: string; host_id: string }>(
    `SELECT r.id AS room_id, u.id AS host_id FROM rooms r JOIN users u ON u.id = r.host_id
     WHERE r.id = ANY($1::uuid[]) AND u.status IN ('active', 'deletion_pending')`,
    [[...new Set(events.map(({ transaction }) => transaction.room_id))]],
  );
  const hosts = new Map(rows.map(({ room_id, host_id }) => [room_id, host_id]));
  const points = events.flatMap(({ transaction }) => pointsOfGift(transaction, hosts.get(transaction.room_id)));
  await addPoints(tx, points.map(inWeek));
};

function pointsOfGift(
  { sender, recipient, total_coins, created_at: at }: DomainEvents["gift.sent"]["transaction"],
  hostId: string | undefined,
): Won[] {
  return [
    { scope: "gift_senders", subjectId: sender.id, points: total_coins, at },
    { scope: "gift_receivers", subjectId: recipient.id, points: total_coins, at },
    { scope: "activity", subjectId: sender.id, points: activityPoints.gift, at },
    ...(hostId && hostId !== sender.id
      ? [{ scope: "top_hosts", subjectId: hostId, points: total_coins, at } as const]
      : []),
  ];
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
  const won = players
    .filter((id) => active.has(id))
    .map((id): Won => ({ scope: "activity", subjectId: id, points: activityPoints.game, at: isoNow() }));
  await addPoints(tx, won.map(inWeek));
};

/** For something that a user created. Its id says when. */
const activity = (userId: string, createdId: string, points: number): Points =>
  inWeek({ scope: "activity", subjectId: userId, points, at: new Date(timeOfId(createdId)).toISOString() });
