import { Room } from "@colyseus/core";
import type { ActorKind, Connection } from "#shared/contracts/actors.ts";
import { principalId, type UserPrincipal } from "#shared/contracts/principal.ts";
import { onActorPool } from "#shared/db/sequelize.ts";
import { inTransaction, mayBeCommitted, type Tx } from "#shared/db/transaction.ts";
import { assert } from "#shared/kernel/assert.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { andThen, type Later } from "#shared/kernel/later.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import { engine } from "../engine.ts";
import type { ActorResult } from "./any-actor-room.ts";
import { assertKind, type Command, patienceMs, tracedCommand } from "./command.ts";
import type { ActionTable, ActorData, Ask, Decision, Outgoing } from "./decision.ts";
import { attempt, retiredError, toActionError } from "./failures.ts";
import { accepts, endsByItself, type Life } from "./life.ts";
import { Mailbox } from "./mailbox.ts";
import { refusalOf } from "./refusal.ts";
import { domainErrorIn, toServerError } from "./server-error.ts";
import { neverMs, wheel } from "./wheel.ts";

type Turn = { readonly reply: unknown };
/** An actor without commands ends after this time. Its row stays, and the next actor continues from it. */
const idleMs = 60_000;

/**
 * The base of all actors: the single owner of something live, which performs one action at a time: decide → commit →
 * apply → push → reply. `perform` is the only entry; an exception behind it ends neither the process nor the actor.
 */
export abstract class ActorRoom<
  Kind extends ActorKind,
  Data extends ActorData<Stored>,
  Stored,
  State extends object = object,
> extends Room<{ state: State }> {
  // Members who connect over Socket.IO and REST aren't Colyseus clients, so the actor decides itself when it ends.
  override autoDispose = false;
  override maxMessagesPerSecond = 100;
  // The wheel sends the patches of all actors. Colyseus sets a timer for each room anyway; this one never fires.
  override patchRate = neverMs;

  /** Rejects all native clients unless overridden: Colyseus' default admits everyone. @throws NOT_FOUND */
  static override onAuth: typeof Room.onAuth = async () => {
    throw toServerError(new DomainError("NOT_FOUND"));
  };

  abstract readonly kind: Kind;
  abstract isNewest(): Promise<boolean>;
  protected abstract readonly actions: ActionTable<Kind, Data, Stored>;
  protected data!: Data;
  readonly #mailbox = new Mailbox();
  #lastAskedMs = clock.now();
  #life: Life = "opening";
  readonly #ended = Promise.withResolvers<void>();

  /** Resolves when Colyseus has removed this actor: until then, its end would remove its successor from the listing. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  override async onCreate({ room_id }: { room_id: string }): Promise<void> {
    this.roomId = room_id;
    try {
      this.data = await this.load(room_id);
      this.begin();
    } catch (error) {
      throw error instanceof DomainError ? toServerError(error) : error;
    }
    this.#life = "open";
    wheel.add(this);
    metrics.actors.inc({ kind: this.kind });
  }

  /** Loads what the actor owns, and claims it. Throws a DomainError if the actor can't exist. */
  protected abstract load(id: string): Promise<Data>;

  /** Publishes what was loaded. */
  protected begin(): void {}
  /** Does what is due, once a second. Never throws. Unless overridden, ends after a minute without commands. */
  tick(): void {
    if (clock.now() - this.#lastAskedMs > idleMs) this.end();
  }

  override async onDispose(): Promise<void> {
    this.#ended.resolve();
    wheel.remove(this);
    if (this.#life !== "opening") metrics.actors.dec({ kind: this.kind });
  }

  /** Performs one action; resolves with a value or an error, never rejects. */
  async perform(command: Command): Promise<ActorResult> {
    this.#lastAskedMs = clock.now();
    try {
      const value = await tracedCommand(this, command, (one) => this.#handle(one));
      metrics.actions.inc({ action: command.action, outcome: "ok" });
      return { ok: true, value };
    } catch (error) {
      const failure = this.#toDomainError(error, command.action);
      metrics.actions.inc({ action: command.action, outcome: failure.code });
      const told = await refusalOf(this, failure, command.action);
      if (!told) this.retire();
      // It has done nothing: the caller's process asks the successor.
      const undone = !told || (told.code === "ENGINE_UNAVAILABLE" && endsByItself(this.#life));
      return { ok: false, ...(told ?? retiredError()).toFailure(), ...(undone && { undone }) };
    }
  }

  async #handle({ principal, action, input, connection, kind = this.kind }: Command): Promise<unknown> {
    assertKind(kind, this.kind);
    const ofService = principal.kind === "service";
    const dueMs = performance.now() + patienceMs;
    this.#assertAccepts(ofService);
    const { prepare, overdue, decide } = this.#actionOf(action);
    const ask = { principal, input: input as never, nowMs: clock.now(), ...(connection && { connection }) };
    // `prepare` returns what `decide` of the same action accepts.
    const prepared = prepare ? ((await prepare(this.data, ask)) as never) : (undefined as never);
    const turn = () => {
      this.#assertAccepts(ofService);
      ask.nowMs = clock.now();
      this.assertOpenFor?.(ask);
      const first = overdue?.(this.data, ask);
      const rest = () => andThen(decide(this.data, ask, prepared), this.#execute);
      return first ? Promise.resolve(andThen(first, this.#execute)).then(rest) : rest();
    };
    const options = ofService ? {} : { by: principalId(principal), dueMs };
    return (await this.#mailbox.run(turn, options)).reply;
  }

  #actionOf(action: string): ActionTable<Kind, Data, Stored>[keyof ActionTable<Kind, Data, Stored>] {
    if (!Object.hasOwn(this.actions, action)) throw new Error(`${this.kind} has no action ${action}`);
    return this.actions[action as keyof ActionTable<Kind, Data, Stored>];
  }

  /** @throws ENGINE_UNAVAILABLE */
  #assertAccepts(ofService: boolean): void {
    if (!accepts(this.#life, ofService)) throw retiredError();
  }

  /** Rejects actions that an actor no longer accepts while it only shows its end. */
  protected assertOpenFor?(ask: Ask<unknown>): void;

  /** Executes, in a turn of its own, a decision that no caller requested, if `decide` returns one. */
  protected async act(decide: () => Later<Decision<Stored> | undefined>): Promise<void> {
    await this.#mailbox.run<Turn | undefined>(() =>
      this.isEnding ? undefined : andThen(decide(), (decision) => decision && this.#execute(decision)),
    );
  }

  /**
   * Commit → apply → push → reply. Without anything to write it takes no turn of the event loop. What was rejected has
   * not happened: nothing after `apply` makes it fail.
   */
  readonly #execute = (decision: Decision<Stored>): Later<Turn> => {
    const committed = this.#commit(decision);
    if (!committed) return this.#applyAndPush(decision);
    return committed.then(
      () => this.#applyAndPush(decision),
      (error: unknown) => {
        // Only the next actor can find out, from what it loads.
        if (mayBeCommitted(error)) this.retire();
        throw error;
      },
    );
  };

  #commit({ next = this.data.stored, durable }: Decision<Stored>): Promise<unknown> | undefined {
    if (durable)
      return onActorPool(() =>
        inTransaction(async (tx) => {
          await this.save(tx, next);
          await durable(tx);
        }),
      );
    return this.mustSave(next) ? onActorPool(() => this.saveAlone(next)) : undefined;
  }

  /** Returns whether this must be stored before it is shown. */
  protected mustSave(next: Stored): boolean {
    return next !== this.data.stored;
  }

  /** Step: stores it, if this actor is still the newest. @throws StaleActorError */
  protected abstract save(tx: Tx, next: Stored): Promise<void>;

  /** Stores it when no other rows belong to it. */
  protected saveAlone(next: Stored): Promise<unknown> {
    return inTransaction((tx) => this.save(tx, next));
  }

  #applyAndPush(decision: Decision<Stored>): Turn {
    const before = this.data.stored;
    this.#apply(decision);
    this.#show(before, decision);
    return { reply: decision.reply(this) };
  }

  #apply({ next, apply }: Decision<Stored>): void {
    try {
      if (next !== undefined) this.data.replace(next);
      apply?.();
    } catch (error) {
      // The state in memory may be inconsistent; the next actor loads what is committed.
      this.retire();
      throw error;
    }
  }

  /** The action has happened. If this fails, clients miss it; they see a gap in `seq` and request what they missed. */
  #show(before: Stored, decision: Decision<Stored>): void {
    let events: readonly Outgoing[] = [];
    attempt(this.roomId, () => {
      events = decision.events?.() ?? [];
    });
    // A removed user gets the reason before the room lets go of their connections.
    for (const outgoing of events) if (outgoing.users) attempt(this.roomId, () => this.push(outgoing));
    attempt(this.roomId, () => decision.effects?.(this));
    for (const outgoing of events) if (!outgoing.users) attempt(this.roomId, () => this.push(outgoing));

    attempt(this.roomId, () => this.applied(before, decision));
  }

  /** Publishes what follows from any change, such as the state that native clients receive as patches. */
  protected applied(_before: Stored, _decision: Decision<Stored>): void {}
  announceSoon(): void {}
  /** Events for a whole room are pushed by the kinds that have one. */
  push(outgoing: Outgoing): void {
    assert(outgoing.users, "an event is for some users");
    engine().fanout.toUsers(outgoing.users, outgoing);
  }

  admit(connection: Connection): void {
    engine().fanout.admit(connection, this.roomId);
  }

  admitSession(caller: UserPrincipal, joinId: string): void {
    engine().fanout.admitSession({ userId: caller.userId, sessionId: caller.sessionId, roomId: this.roomId, joinId });
  }

  expel(userId: string, _asking?: Connection): void {
    engine().fanout.expel(userId, this.roomId);
  }

  endAfter(delayMs: number): void {
    setTimeout(() => {
      if (this.isEnding) return;
      engine().fanout.dissolve(this.roomId);
      this.end();
    }, delayMs);
  }

  #toDomainError(error: unknown, action: string): DomainError {
    if (error instanceof DomainError) return error;
    if (error instanceof StaleActorError || mayBeCommitted(error)) this.retire();
    if (error instanceof StaleActorError) return retiredError();
    return toActionError(error, { action, roomId: this.roomId });
  }

  /** Whether it no longer accepts commands of callers. */
  get isEnding(): boolean {
    return !accepts(this.#life, false);
  }

  /** Ends this actor without a write, because a newer one owns its state. */
  protected retire(): void {
    if (this.#life === "retired") return;
    logger.info({ kind: this.kind, roomId: this.roomId }, "actor retires");
    this.#endAs("retired");
  }

  /** From now on, its successor gets the commands. */
  rejectAll(): void {
    if (this.#life !== "retired") this.#life = "leaving";
  }

  /** Ends this actor and its native connections. */
  protected end(): void {
    if (!this.isEnding) this.#endAs("ending");
  }

  #endAs(life: "ending" | "retired"): void {
    const isFirst = !this.isEnding;
    this.#life = life;
    if (isFirst) (async () => this.disconnect())().catch(this.#logFailedEnd);
  }

  readonly #logFailedEnd = (error: unknown) => logger.warn({ err: error, roomId: this.roomId }, "actor's end failed");

  override onUncaughtException(error: Error, methodName: string): void {
    if (domainErrorIn(error)) return;
    logger.error({ err: error, methodName, roomId: this.roomId }, "actor handler failed");
  }
}
