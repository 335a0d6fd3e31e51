import { setTimeout as pause } from "node:timers/promises";
import type { Entry, RowKind } from "./journal.ts";
import { spamWord } from "./judge.ts";
import type { Act, Person } from "./person.ts";
import type { World } from "./world.ts";

/** The rows that messages write in the room where a judge is asked about each of them. */
export const heldKind: RowKind = { name: "held messages", sql: "SELECT id FROM held_content" };

/** Selects the messages that weren't held before. */
export const unheld = `SELECT id FROM room_messages m WHERE NOT EXISTS (SELECT FROM held_content h
  WHERE h.user_id = m.user_id AND h.target_id = m.room_id AND h.client_id = m.client_id)`;

/** What the administrator decides about at once: at most a page. */
const fewDecisions = 5;
export const decisionsMax = 100;
const decideEveryMs = 2000;

/** Sends a message where each is held. Now and then the judge finds something in it. */
export function sayHeld(person: Person, world: World): Promise<Entry> {
  const key = world.newKey();
  const body = person.dice.chance(0.3) ? `${key} ${spamWord}` : key;
  return world.journal.write({ kind: heldKind, key, by: `${person.name} in the judged room` }, async () => {
    await person.arrive();
    return person.ask("room:message", { body, client_id: key });
  });
}

/** The administrator decides about what waits for them, if the service answers. */
export async function decide(world: World, most: number): Promise<void> {
  const node = world.dice.pick(world.cluster.nodes);
  const token = world.adminToken;
  const waiting = await world.call(node, "get", `/admin/review-queue?status=open&limit=${most}`, { token });
  if (waiting.kind !== "done") return;
  for (const { id } of (waiting.data as { items: { id: string }[] }).items) {
    const body = { decision: world.dice.chance(0.7) ? "release" : "reject" };
    await world.call(node, "post", `/admin/review-queue/${id}/decide`, { token, body });
  }
}

export const judgedActs: readonly Act[] = [
  { name: "say", weight: 8, run: sayHeld },
  { name: "decide", weight: 1, run: (_person, world) => decide(world, fewDecisions) },
];

type Rows = <Row extends object>(sql: string) => Promise<Row[]>;

/** Selects what is wrong with held messages, as sentences. */
const wrong = `
  SELECT 'Held message ' || h.id || ' is ' || h.status || ', and is shown ' || count(m.id) || ' times as '
    || coalesce(h.content_id::text, 'nothing') || '.' AS text
  FROM held_content h LEFT JOIN room_messages m
    ON m.user_id = h.user_id AND m.room_id = h.target_id AND m.client_id = h.client_id
  GROUP BY h.id
  HAVING count(m.id) > 1 OR (h.status <> 'released' AND count(m.id) > 0)
    OR (h.delivered_at IS NOT NULL AND count(m.id) FILTER (WHERE m.id = h.content_id) <> 1)
  LIMIT 20`;

/** Each held message waits, was rejected, or is shown once. */
export const checkHeld = async (rows: Rows): Promise<string[]> =>
  (await rows<{ text: string }>(wrong)).map(({ text }) => text);

/** Has jobs that a dead process ran, or that failed, run now: otherwise only after their heartbeats and pauses. */
const hurry = `UPDATE pgboss.job SET state = 'retry', start_after = now()
  WHERE state IN ('active', 'retry') AND name IN ('content.judge', 'content.release')`;

/** Decides about all that waits, until nothing waits for the judge or to be shown. Returns what does in the end. */
export async function drainHeld(world: World, rows: Rows, withinMs: number): Promise<string[]> {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    await decide(world, decisionsMax);
    await rows(hurry);
    const [left] = await rows<{ count: number; text: string }>(
      `SELECT count(*), min(id || ' is ' || status) AS text FROM held_content
       WHERE status IN ('judging', 'held') OR (status = 'released' AND delivered_at IS NULL)`,
    );
    if (left!.count === 0) return [];
    if (performance.now() > deadlineMs) return [`${left!.count} held messages wait for good, such as ${left!.text}.`];
    await pause(decideEveryMs);
  }
}
