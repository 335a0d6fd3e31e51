import type { ActionOf, InputOf, ReplyOf, VoiceActors, VoiceRight } from "#shared/contracts/actors.ts";
import type { Principal } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { queueVoiceClose, queueVoiceSync } from "#shared/domain/live/voice/voice-sync.ts";
import type { Result } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";

/** A room as its actor keeps it: reads and changes are serialized, and a change is committed before it is visible. */
export class TestRoom implements VoiceActors {
  readonly id = newId();
  readonly #rights = new Map<string, VoiceRight>();
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;
  outOfReach = false;

  async change(userId: string, right: VoiceRight): Promise<void> {
    await this.#inTurn(async () => {
      await inTransaction((tx) => queueVoiceSync(tx, this.id, [userId]));
      this.#rights.set(userId, right);
    });
  }

  /** Replaces the actor with one without members: a change without a commit. */
  forget(userId: string): void {
    this.#rights.delete(userId);
  }

  remember(userId: string, right: VoiceRight): void {
    this.#rights.set(userId, right);
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => {
      await inTransaction((tx) => queueVoiceClose(tx, this.id));
      this.#closed = true;
    });
  }

  voice<A extends ActionOf<"voice_room">>(
    _roomId: string,
    _principal: Principal,
    action: A,
    input: InputOf<"voice_room", A>,
  ): Promise<Result<ReplyOf<"voice_room", A>>> {
    return this.#inTurn(async () => {
      if (this.outOfReach) return { ok: false, code: "ENGINE_UNAVAILABLE", message: "out of reach" };
      if (this.#closed) return { ok: false, code: "ROOM_CLOSED", message: "closed" };
      const { user_id = "", user_ids = [] } = input as { user_id?: string; user_ids?: string[] };
      const rightOf = (userId: string): VoiceRight => this.#rights.get(userId) ?? "none";
      const value =
        action === "room:present"
          ? { present: user_ids.filter((userId) => rightOf(userId) !== "none") }
          : { right: rightOf(user_id) };
      return { ok: true, value: value as ReplyOf<"voice_room", A> };
    });
  }

  async settleCounts() {}

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
