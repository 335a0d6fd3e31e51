import { Room } from "@colyseus/core";
import type { ActorKind, Connection } from "#shared/contracts/actors.ts";
import { type Principal, principalId } from "#shared/contracts/principal.ts";
import { inTransaction, mayBeCommitted, type Tx } from "#shared/db/transaction.ts";
import { toUnavailableError } from "#shared/db/unavailable.ts";
import { assert } from "#shared/kernel/assert.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError, type Result } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import { engine } from "../engine.ts";
import type { ActionTable, ActorData, Ask, Decision, Outgoing } from "./decision.ts";
import { Mailbox } from "./mailbox.ts";
import { domainErrorIn, toServerError } from "./server-error.ts";

/** What is asked of an actor: plain data, so that it can come from another process. */
export interface Command {
  readonly principal: Principal;
  readonly action: string;
  /** Checked by the caller, by the action's schema. */
  readonly input: unknown;
  readonly connection?: Connection;
}

/** Thrown inside an actor that finds that it is no longer the owner. */
const retiredError = () =>
  new DomainError("ENGINE_UNAVAILABLE", "This room is moving to another server. Try again.", { retryAfter: 1 });

/** What the directory knows of an actor. */
export type AnyActorRoom = Room &
  Pick<ActorRoom<ActorKind, ActorData<unknown>, unknown>, "perform" | "ended" | "ending" | "retired">;

/** An actor without commands ends after so long; its row stays, and the next actor goes on. */
const idleMs = 60_000;

/**
 * How long a caller's command may take until its turn begins. Later, it is dropped rather than executed: less than what a
 * caller in another process waits for the answer (`directory.ts`), with time for the turn itself.
 */
export const patienceMs = 4000;

/** Of an action, once its turn is over. */
interface Turn {
  readonly reply: unknown;
}

/**
 * What every actor is: one owner of something live, that does one thing at a time and answers with values. Each action
 * goes decide → commit → apply → push → reply. `perform` is the one way in; a throw behind it ends neither the process
 * nor the actor.
 */
export abstract class ActorRoom<
  Kind extends ActorKind,
  Data extends ActorData<Stored>,
  Stored,
  State extends object = object,
> extends Room<{ state: State }> {
  // Members over Socket.IO and REST are no Colyseus clients; the actor ends by its own rule.
  override autoDispose = false;
  override maxMessagesPerSecond = 100;
  override patchRate = 100;

  /** Rejects all native clients, unless the kind overrides it: Colyseus' own default admits everyone. @throws NOT_FOUND */
  static override onAuth: typeof Room.onAuth = async () => {
    throw toServerError(new DomainError("NOT_FOUND"));
  };

  abstract readonly kind: Kind;
  protected abstract readonly actions: ActionTable<Kind, Data, Stored>;
  protected data!: Data;
  readonly #mailbox = new Mailbox();
  #lastAskedMs = clock.now();
  #opened = false;
  #retired = false;
  #ending = false;
  readonly #ended = Promise.withResolvers<void>();

  /** Resolves when Colyseus has let go of this actor: until then its end would take a successor's place in the listing. */
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
    this.#opened = true;
    metrics.actors.inc({ kind: this.kind });
  }

  /** Takes over what the actor is to own. A DomainError says why there can be no such actor. */
  protected abstract load(id: string): Promise<Data>;

  /** Starts clocks and shows what was loaded. Unless overridden, the actor ends when it gets no commands for a minute. */
  protected begin(): void {
    this.clock.setInterval(() => {
      if (clock.now() - this.#lastAskedMs > idleMs) this.end();
    }, idleMs / 4);
  }

  override async onDispose(): Promise<void> {
    this.#ended.resolve();
    if (!this.#opened) return;
    metrics.actors.dec({ kind: this.kind });
    if (this.#retired) return;
    await this.close().catch((error: unknown) =>
      logger.warn({ err: error, roomId: this.roomId }, "actor's end failed"),
    );
  }

  /** Clears what says that this actor is here. */
  protected async close(): Promise<void> {}

  /** Performs one action; resolves with a value or an error, never rejects. */
  async perform(command: Command): Promise<Result<unknown>> {
    this.#lastAskedMs = clock.now();
    try {
      const value = await this.#handle(command);
      metrics.actions.inc({ action: command.action, outcome: "ok" });
      return { ok: true, value };
    } catch (error) {
      const failure = this.#toDomainError(error, command.action);
      metrics.actions.inc({ action: command.action, outcome: failure.code });
      return { ok: false, ...failure.toFailure() };
    }
  }

  async #handle({ principal, action, input, connection }: Command): Promise<unknown> {
    const ofService = principal.kind === "service";
    const dueMs = performance.now() + patienceMs;
    this.#assertAccepts(ofService);
    const { prepare, overdue, decide } = this.#actionOf(action);
    const ask = { principal, input: input as never, nowMs: clock.now(), ...(connection && { connection }) };
    // What `prepare` gives is what `decide` of the same action takes.
    const prepared = prepare ? ((await prepare(this.data, ask)) as never) : (undefined as never);

    const turn = () => {
      this.#assertAccepts(ofService);
      ask.nowMs = clock.now();
      this.assertOpenFor?.(ask);
      const first = overdue?.(this.data, ask);
      const rest = () => this.#execute(decide(this.data, ask, prepared));
      return first ? Promise.resolve(this.#execute(first)).then(rest) : rest();
    };
    const options = ofService ? {} : { by: principalId(principal), dueMs };
    return (await this.#mailbox.run(turn, options)).reply;
  }

  #actionOf(action: string): ActionTable<Kind, Data, Stored>[keyof ActionTable<Kind, Data, Stored>] {
    if (!Object.hasOwn(this.actions, action)) throw new Error(`${this.kind} has no action ${action}`);
    return this.actions[action as keyof ActionTable<Kind, Data, Stored>];
  }

  /** A retired actor does nothing; one that ends does only what the service asks. @throws ENGINE_UNAVAILABLE */
  #assertAccepts(ofService: boolean): void {
    if (this.#retired || (this.#ending && !ofService)) throw retiredError();
  }

  /** Rejects what may no longer be asked of an actor whose end is only being shown. */
  protected assertOpenFor?(ask: Ask<unknown>): void;

  /** Carries out in a turn of its own what no caller has asked for, if `decide` finds anything. */
  protected async act(decide: () => Decision<Stored> | undefined): Promise<void> {
    const turn = () => {
      const decision = this.retired ? undefined : decide();
      return decision && this.#execute(decision);
    };
    await this.#mailbox.run<Turn | undefined>(turn);
  }

  /**
   * Commit → apply → push → reply. Without anything to write it takes no turn of the event loop. What was rejected has not
   * happened: nothing after `apply` makes it fail.
   */
  #execute(decision: Decision<Stored>): Turn | Promise<Turn> {
    const committed = this.#commit(decision);
    if (!committed) return this.#applyAndPush(decision);
    return committed.then(
      () => this.#applyAndPush(decision),
      (error: unknown) => {
        // Only the next actor can find out, by what it loads.
        if (mayBeCommitted(error)) this.retire();
        throw error;
      },
    );
  }

  #commit({ next = this.data.stored, durable }: Decision<Stored>): Promise<unknown> | undefined {
    if (durable)
      return inTransaction(async (tx) => {
        await this.save(tx, next);
        await durable(tx);
      });
    return this.mustSave(next) ? this.saveAlone(next) : undefined;
  }

  /** Must this be written before it is shown? */
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
      // What is in memory may be anything; the next actor loads what is committed.
      this.retire();
      throw error;
    }
  }

  /** What fails here is missed by clients, who see a gap and ask for what they have missed; it has happened. */
  #show(before: Stored, decision: Decision<Stored>): void {
    let events: readonly Outgoing[] = [];
    this.#attempt(() => {
      events = decision.events?.() ?? [];
    });

    // A removed user gets the reason before the room lets go of their connections.
    for (const outgoing of events) if (outgoing.users) this.#attempt(() => this.push(outgoing));
    this.#attempt(() => decision.effects?.(this));
    for (const outgoing of events) if (!outgoing.users) this.#attempt(() => this.push(outgoing));

    this.#attempt(() => this.applied(before, decision));
  }

  #attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      logger.error({ err: error, roomId: this.roomId }, "what an action has changed was not shown");
    }
  }

  /** Shows what follows from any change, such as the state that native clients have patched. */
  protected applied(_before: Stored, _decision: Decision<Stored>): void {}

  /** Events for a whole room are pushed by the kinds that have one. */
  push(outgoing: Outgoing): void {
    assert(outgoing.users, "an event is for some users");
    engine().fanout.toUsers(outgoing.users, outgoing);
  }

  admit(connection: Connection): void {
    engine().fanout.admit(connection, this.roomId);
  }

  expel(userId: string, _asking?: Connection): void {
    engine().fanout.expel(userId, this.roomId);
  }

  endAfter(delayMs: number): void {
    this.clock.setTimeout(() => {
      engine().fanout.dissolve(this.roomId);
      this.end();
    }, delayMs);
  }

  #toDomainError(error: unknown, action: string): DomainError {
    if (error instanceof DomainError) return error;
    if (error instanceof StaleActorError) {
      this.retire();
      return retiredError();
    }
    const unavailable = toUnavailableError(error);
    if (unavailable) {
      logger.warn({ err: error, action, roomId: this.roomId }, "action could not be written");
      return unavailable;
    }
    logger.error({ err: error, action, roomId: this.roomId }, "action failed");
    return new DomainError("INTERNAL_ERROR");
  }

  /** Ends in order, so that its successor can be asked what it rejects now. */
  get ending(): boolean {
    return this.#ending && !this.#retired;
  }

  /** Accepts nothing but the service's commands: it has retired, or ends. */
  get retired(): boolean {
    return this.#retired || this.#ending;
  }

  /** Ends this actor without a word to the database: a newer one owns what it owned. */
  protected retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    logger.info({ kind: this.kind, roomId: this.roomId }, "actor retires");
    this.end();
  }

  /** Ends this actor and its native connections. */
  protected end(): void {
    if (this.#ending) return;
    this.#ending = true;
    const ending = (async () => this.disconnect())();
    ending.catch((error: unknown) => logger.warn({ err: error, roomId: this.roomId }, "actor's end failed"));
  }

  override onUncaughtException(error: Error, methodName: string): void {
    if (domainErrorIn(error)) return;
    logger.error({ err: error, methodName, roomId: this.roomId }, "actor handler failed");
  }
}
