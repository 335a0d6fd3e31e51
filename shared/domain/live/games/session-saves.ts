import { GroupCommit } from "#shared/db/group-commit.ts";
import { onActorPool } from "#shared/db/sequelize.ts";
import { alone } from "#shared/db/transaction.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import type { SessionSave } from "./session-state.ts";

/** The games of a process share commits. */
const saves = new GroupCommit<SessionSave, boolean>((batch) => onActorPool(() => saveBatch(batch)));

/**
 * Stores a game together with others. Resolves when it is durable.
 * @throws StaleActorError if a newer actor owns the game, or the game is over
 */
export async function saveBatched(save: SessionSave): Promise<void> {
  if (!(await saves.add(save))) throw new StaleActorError(save.sessionId, save.epoch);
}

/** Returns whether each game was stored. Writes of outdated actors are not. */
async function saveBatch(batch: readonly SessionSave[]): Promise<boolean[]> {
  const rows = await alone<{ id: string; epoch: number }>(
    `UPDATE game_sessions s SET state = n.state, due_at = to_timestamp(n."dueMs" / 1000.0)
     FROM jsonb_to_recordset($1::jsonb) AS n ("sessionId" uuid, epoch bigint, state jsonb, "dueMs" bigint)
     WHERE s.id = n."sessionId" AND s.epoch = n.epoch AND s.status = 'active' RETURNING s.id, s.epoch`,
    [JSON.stringify(batch)],
  );
  const saved = new Set(rows.map(({ id, epoch }) => `${id} ${epoch}`));
  return batch.map(({ sessionId, epoch }) => saved.has(`${sessionId} ${epoch}`));
}
