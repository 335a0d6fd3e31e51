import type { DomainEvents, Recorder, Topic } from "#shared/contracts/domain-events.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { clock } from "#shared/kernel/clock.ts";
import { timeOfId } from "#shared/kernel/ids.ts";
import { addPoints, type Points } from "./scores.ts";

/** Points in `activity` for each of these. A message earns one, see `count-minutes.ts`. */
export const activityPoints = { gift: 5, post: 5, comment: 2, game: 5 } as const;

interface ScoredEvent {
  /** When it happened, which determines the week. */
  readonly atMs: number;
  readonly points: (tx: Tx) => Promise<Points[]>;
}

/** Adds the scores of a domain event, once however often it is delivered. */
const counting =
  <T extends Topic>(eventOf: (payload: DomainEvents[T]) => ScoredEvent | undefined): Recorder<T> =>
  async (payload, id) => {
    const event = eventOf(payload);
    if (!event) return;
    await inTransaction(async (tx) => {
      const [fresh] = await tx.query(
        "INSERT INTO leaderboard_facts (fact_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1",
        [id],
      );
      if (fresh) await addPoints(tx, event.atMs, await event.points(tx));
    });
  };

export const scoreGift = counting<"gift.sent">((payload) => ({
  atMs: Date.parse(payload.transaction.created_at),
  points: (tx) => pointsOfGift(tx, payload),
}));

export const scorePost = counting<"post.created">(({ author_id, post_id }) =>
  activity(author_id, post_id, activityPoints.post),
);

/** Comments on your own posts earn nothing. */
export const scoreComment = counting<"post.commented">(({ user_id, author_id, comment_id }) =>
  user_id === author_id ? undefined : activity(user_id, comment_id, activityPoints.comment),
);

export const scoreGame = counting<"game.finished">((payload) => pointsOfGame(payload));

/** For all who played a game to its end, unless they were suspended during it. */
function pointsOfGame({ status, standings }: DomainEvents["game.finished"]): ScoredEvent | undefined {
  if (status !== "finished") return undefined;
  const atMs = clock.now();
  const at = new Date(atMs).toISOString();
  const players = standings.filter(({ place }) => place !== null).map(({ user_id }) => user_id);
  return {
    atMs,
    points: async (tx) => {
      const standing = await tx.query<{ id: string }>(
        "SELECT id FROM users WHERE id = ANY($1::uuid[]) AND status IN ('active', 'deletion_pending')",
        [players],
      );
      return standing.map(({ id }) => ({ scope: "activity", subjectId: id, points: activityPoints.game, at }));
    },
  };
}

/** For something that a user created. Its id says when. */
function activity(userId: string, madeId: string, points: number): ScoredEvent {
  const atMs = timeOfId(madeId);
  const won: Points = { scope: "activity", subjectId: userId, points, at: new Date(atMs).toISOString() };
  return { atMs, points: async () => [won] };
}

/** The coins count for the sender, the recipient, and the host of the room, unless the host is the sender. */
async function pointsOfGift(tx: Tx, { transaction }: DomainEvents["gift.sent"]): Promise<Points[]> {
  const { sender, recipient, room_id, total_coins, created_at: at } = transaction;
  const [host] = await tx.query<{ id: string }>(
    `SELECT u.id FROM rooms r JOIN users u ON u.id = r.host_id
     WHERE r.id = $1 AND u.id <> $2 AND u.status IN ('active', 'deletion_pending')`,
    [room_id, sender.id],
  );
  return [
    { scope: "gift_senders", subjectId: sender.id, points: total_coins, at },
    { scope: "gift_receivers", subjectId: recipient.id, points: total_coins, at },
    { scope: "activity", subjectId: sender.id, points: activityPoints.gift, at },
    ...(host ? [{ scope: "top_hosts", subjectId: host.id, points: total_coins, at } as const] : []),
  ];
}
