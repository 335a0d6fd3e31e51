import { setTimeout as pause } from "node:timers/promises";
import type { Reaction, ReactionCount } from "#shared/contracts/views.ts";
import { countChanges } from "#shared/db/batches.ts";
import { GroupCommit } from "#shared/db/group-commit.ts";
import { query } from "#shared/db/query.ts";
import { alone, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { invalidFields } from "#shared/kernel/domain-error.ts";
import { type MessagePlace, messageTables } from "./message-tables.ts";

/** A reaction that a user gives, or takes back. */
export interface ReactionChange {
  readonly placeId: string;
  readonly messageId: string;
  readonly userId: string;
  readonly emoji: string;
  readonly isOn: boolean;
}

/** How often a message got each reaction, as stored. */
export type StoredReactions = Readonly<Record<string, number>>;

/** `missing`: there is no such message there. */
export type ReactionOutcome = "missing" | { readonly changed: boolean; readonly reactions: readonly ReactionCount[] };

/** @throws VALIDATION_ERROR for a reaction that the setting `reactions` doesn't list */
export function assertReaction(emoji: string): void {
  if (!setting("reactions").includes(emoji))
    throw invalidFields([{ field: "emoji", text: "{{field}} must be one of the setting `reactions`" }]);
}

/** Returns reactions as they are shown, the most frequent first. */
export const toReactionCounts = (stored: StoredReactions | null): ReactionCount[] =>
  Object.entries(stored ?? {})
    .map(([emoji, count]) => ({ emoji, count }))
    .sort((one, other) => other.count - one.count || (one.emoji < other.emoji ? -1 : 1));

/** How long reactions wait for others, milliseconds: a commit for each would cost most of what they cost. */
const gatherMs = 25;

/** Stores reactions of a process in shared commits: a storm of them is a few statements. */
const logOf = (place: MessagePlace) =>
  new GroupCommit<ReactionChange, ReactionOutcome>(async (changes) => {
    await pause(gatherMs);
    return storeReactions(place, changes);
  });

const logs = { room: logOf("room"), conversation: logOf("conversation") };

/** Stores a reaction. Resolves when it is durable, with all reactions of the message. */
export const react = (place: MessagePlace, change: ReactionChange): Promise<ReactionOutcome> => logs[place].add(change);

const keyOf = ({ messageId, userId, emoji }: ReactionChange): string => `${messageId} ${userId} ${emoji}`;

async function storeReactions(place: MessagePlace, changes: readonly ReactionChange[]): Promise<ReactionOutcome[]> {
  const { table, place: column } = messageTables[place];
  // Of what one user does to one reaction, the last counts.
  const last = [...new Map(changes.map((change) => [keyOf(change), change])).values()];
  const rows = await alone<{ id: string; reactions: StoredReactions | null; changed: boolean }>(
    `WITH given AS (
       SELECT g.* FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::boolean[])
         AS g (place_id, message_id, user_id, emoji, is_on)
       JOIN ${table} m ON m.id = g.message_id AND m.${column} = g.place_id AND m.deleted_at IS NULL
     ), added AS (
       INSERT INTO message_reactions (message_id, user_id, emoji)
       SELECT message_id, user_id, emoji FROM given WHERE is_on ORDER BY message_id, user_id, emoji
       ON CONFLICT DO NOTHING RETURNING message_id, emoji
     ), taken AS (
       DELETE FROM message_reactions r USING given g
       WHERE NOT g.is_on AND r.message_id = g.message_id AND r.user_id = g.user_id AND r.emoji = g.emoji
       RETURNING r.message_id, r.emoji
     ), delta AS (
       SELECT message_id, emoji, sum(n)::integer AS n FROM (
         SELECT message_id, emoji, 1 AS n FROM added UNION ALL SELECT message_id, emoji, -1 FROM taken
       ) AS each GROUP BY message_id, emoji HAVING sum(n) <> 0
     ), summed AS (
       UPDATE ${table} m SET reactions = (
         SELECT jsonb_object_agg(emoji, n) FROM (
           SELECT emoji, sum(n)::integer AS n FROM (
             SELECT key AS emoji, value::integer AS n FROM jsonb_each_text(coalesce(m.reactions, '{}'))
             UNION ALL SELECT d.emoji, d.n FROM delta d WHERE d.message_id = m.id
           ) AS both_sides GROUP BY emoji HAVING sum(n) > 0
         ) AS sums
       )
       WHERE m.id IN (SELECT message_id FROM delta) RETURNING m.id, m.reactions
     )
     SELECT DISTINCT ON (g.message_id) g.message_id AS id, s.id IS NOT NULL AS changed,
       CASE WHEN s.id IS NULL THEN m.reactions ELSE s.reactions END AS reactions
     FROM given g JOIN ${table} m ON m.id = g.message_id LEFT JOIN summed s ON s.id = g.message_id`,
    [
      last.map(({ placeId }) => placeId),
      last.map(({ messageId }) => messageId),
      last.map(({ userId }) => userId),
      last.map(({ emoji }) => emoji),
      last.map(({ isOn }) => isOn),
    ],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return changes.map(({ messageId }) => {
    const row = found.get(messageId);
    return row ? { changed: row.changed, reactions: toReactionCounts(row.reactions) } : "missing";
  });
}

interface Reacted {
  readonly id: string;
  readonly reactions: StoredReactions | null;
}

/** Returns the reactions to messages as one user sees them, by message; messages without any are absent. */
export async function reactionsFor(userId: string, messages: readonly Reacted[]): Promise<Map<string, Reaction[]>> {
  const reacted = messages.filter(({ reactions }) => reactions);
  if (reacted.length === 0) return new Map();
  const rows = await query<{ message_id: string; emoji: string }>(
    "SELECT message_id, emoji FROM message_reactions WHERE user_id = $1 AND message_id = ANY ($2::uuid[])",
    [userId, reacted.map(({ id }) => id)],
  );
  const mine = new Set(rows.map(({ message_id, emoji }) => `${message_id} ${emoji}`));
  return new Map(
    reacted.map(({ id, reactions }) => [
      id,
      toReactionCounts(reactions).map((one) => ({ ...one, mine: mine.has(`${id} ${one.emoji}`) })),
    ]),
  );
}

/**
 * Step: takes back a user's reactions, some at a time, and deletes what their edited messages said before, and their
 * pins. Returns how many rows.
 */
export async function eraseReactions(tx: Tx, userId: string): Promise<number> {
  const taken = await tx.query<{ message_id: string; emoji: string }>(
    `DELETE FROM message_reactions WHERE (message_id, user_id, emoji) IN (
       SELECT message_id, user_id, emoji FROM message_reactions WHERE user_id = $1 LIMIT 1000
     ) RETURNING message_id, emoji`,
    [userId],
  );
  for (const { table } of Object.values(messageTables))
    await tx.query(
      `UPDATE ${table} m SET reactions = (
         SELECT jsonb_object_agg(emoji, n) FROM (
           SELECT emoji, count(*)::integer AS n FROM message_reactions r WHERE r.message_id = m.id GROUP BY emoji
         ) AS sums
       ) WHERE m.id = ANY ($1::uuid[])`,
      [taken.map(({ message_id }) => message_id)],
    );
  const others = await countChanges(
    tx,
    userId,
    "DELETE FROM message_edits WHERE ctid IN (SELECT ctid FROM message_edits WHERE user_id = $1 LIMIT 1000) RETURNING 1",
    "DELETE FROM message_pins WHERE pinned_by = $1 RETURNING 1",
  );
  return taken.length + others;
}
