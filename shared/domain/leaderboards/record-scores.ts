import type { Fact, Facts } from "#shared/contracts/facts.ts";
import type { FactConsumer } from "#shared/db/outbox.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { clock } from "#shared/kernel/clock.ts";
import { timeOfId } from "#shared/kernel/ids.ts";
import { addPoints, type Points } from "./scores.ts";

/** What one of these is worth in `activity`; a message is worth one, see `count-minutes.ts`. */
export const activityPoints = { gift: 5, post: 5, comment: 2, game: 5 } as const;

/** Counts a fact for the boards, once however often it comes. */
export const recordScores: FactConsumer = async (fact, id) => {
  const happening = happeningOf(fact);
  if (!happening) return;
  await inTransaction(async (tx) => {
    const [fresh] = await tx.query(
      "INSERT INTO leaderboard_facts (fact_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1",
      [id],
    );
    if (fresh) await addPoints(tx, happening.atMs, await happening.points(tx));
  });
};

interface Happening {
  /** When it was, which decides the week. */
  readonly atMs: number;
  readonly points: (tx: Tx) => Promise<Points[]>;
}

function happeningOf({ topic, payload }: Fact): Happening | undefined {
  switch (topic) {
    case "gift.sent":
      return { atMs: Date.parse(payload.transaction.created_at), points: (tx) => pointsOfGift(tx, payload) };
    case "post.created":
      return activity(payload.author_id, payload.post_id, activityPoints.post);
    case "post.commented":
      // Talking to oneself is no activity.
      if (payload.user_id === payload.author_id) return undefined;
      return activity(payload.user_id, payload.comment_id, activityPoints.comment);
    case "game.finished":
      return pointsOfGame(payload);
    default:
      return undefined;
  }
}

/** Whoever has played a game to its end, unless he was suspended during it. */
function pointsOfGame({ status, standings }: Facts["game.finished"]): Happening | undefined {
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

/** Something that a person has made; its id says when. */
function activity(userId: string, madeId: string, points: number): Happening {
  const atMs = timeOfId(madeId);
  const won: Points = { scope: "activity", subjectId: userId, points, at: new Date(atMs).toISOString() };
  return { atMs, points: async () => [won] };
}

/** The coins count for whoever gave, whoever got, and the host of the room, unless it is he who gave. */
async function pointsOfGift(tx: Tx, { transaction }: Facts["gift.sent"]): Promise<Points[]> {
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
