import { query } from "#shared/db/query.ts";
import { StaleActorError } from "#shared/domain/rooms/room-state.ts";
import type { SessionState } from "./session-state.ts";

/** A game after an action, as the actor with `epoch` has decided it. */
export interface SessionSave {
  readonly sessionId: string;
  readonly epoch: number;
  readonly state: SessionState;
  /** When the server acts in a player's stead, milliseconds since 1970. */
  readonly dueMs: number | null;
}

interface Waiting {
  readonly save: SessionSave;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Games of one statement. */
const batchMax = 200;

/**
 * Group commit of games that go on: one statement is under way at a time, and what arrives meanwhile goes with the next.
 * So a lone game waits for nothing, and hundreds of them are stored for the price of one commit.
 */
export class SessionSaves {
  #waiting: Waiting[] = [];
  #writing = false;

  /** Resolves when it is durable. @throws StaleActorError when a newer actor owns the game, or the game is over */
  save(save: SessionSave): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ save, resolve, reject });
      if (!this.#writing) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchMax);
      try {
        const saved = await saveBatch(batch.map(({ save }) => save));
        for (const { save, resolve, reject } of batch)
          if (saved.has(`${save.sessionId} ${save.epoch}`)) resolve();
          else reject(new StaleActorError(save.sessionId, save.epoch));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#writing = false;
  }
}

/** Answers which were stored, by id and epoch: of two actors of one game only the newer one's is. */
async function saveBatch(saves: readonly SessionSave[]): Promise<ReadonlySet<string>> {
  const rows = await query<{ id: string; epoch: number }>(
    `UPDATE game_sessions s SET state = n.state, due_at = to_timestamp(n."dueMs" / 1000.0)
     FROM jsonb_to_recordset($1::jsonb) AS n ("sessionId" uuid, epoch bigint, state jsonb, "dueMs" bigint)
     WHERE s.id = n."sessionId" AND s.epoch = n.epoch AND s.status = 'active' RETURNING s.id, s.epoch`,
    [JSON.stringify(saves)],
  );
  return new Set(rows.map(({ id, epoch }) => `${id} ${epoch}`));
}
