import { Room } from "@colyseus/core";
import type { Connection } from "#shared/contracts/actors.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { databaseRefusal } from "#shared/db/unavailable.ts";
import { DomainError, type Result } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import { Mailbox } from "./mailbox.ts";
import { refusalIn, toServerError } from "./refusal.ts";

/** What is asked of an actor: plain data, so that it can come from another process. */
export interface Command {
  readonly caller: UserPrincipal | null;
  readonly action: string;
  readonly input: unknown;
  readonly connection?: Connection;
}

/** Thrown inside an actor that finds that it is not the owner any more. */
export class RetiredError extends DomainError {
  constructor() {
    super("ENGINE_UNAVAILABLE", "The room is moving; try again.", { retryAfter: 1 });
  }
}

/**
 * What every actor is: one owner of something live, that does one thing at a time and answers with values. `perform` is
 * the one door; a throw behind it ends neither the process nor the actor.
 */
export abstract class ActorRoom<State extends object> extends Room<{ state: State }> {
  // Members over Socket.IO and REST are no Colyseus clients; the actor ends by its own rule.
  override autoDispose = false;
  override maxMessagesPerSecond = 100;
  override patchRate = 100;

  protected readonly mailbox = new Mailbox();
  protected abstract readonly kind: string;
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
      await this.open(room_id);
    } catch (error) {
      throw error instanceof DomainError ? toServerError(error) : error;
    }
    this.#opened = true;
    metrics.actors.inc({ kind: this.kind });
  }

  /** Takes over what the actor is to own. A DomainError says why there can be no such actor. */
  protected abstract open(id: string): Promise<void>;

  override async onDispose(): Promise<void> {
    this.#ended.resolve();
    if (!this.#opened) return;
    metrics.actors.dec({ kind: this.kind });
    if (this.#retired) return;
    await this.close().catch((error: unknown) =>
      logger.warn({ err: error, roomId: this.roomId }, "actor's end failed"),
    );
  }

  /** Clears up what says that this actor is here. */
  protected abstract close(): Promise<void>;

  /** Does one action; resolves with a value or a refusal, never rejects. */
  async perform(command: Command): Promise<Result<unknown>> {
    try {
      if (this.#retired || (this.#ending && command.caller)) throw new RetiredError();
      const value = await this.act(command);
      metrics.actions.inc({ action: command.action, outcome: "ok" });
      return { ok: true, value };
    } catch (error) {
      const refusal = this.#toRefusal(error, command.action);
      metrics.actions.inc({ action: command.action, outcome: refusal.code });
      return { ok: false, ...refusal.toFailure() };
    }
  }

  protected abstract act(command: Command): Promise<unknown>;

  #toRefusal(error: unknown, action: string): DomainError {
    if (error instanceof DomainError) return error;
    if (error instanceof StaleActorError) {
      this.retire();
      return new RetiredError();
    }
    const refusal = databaseRefusal(error);
    if (refusal) {
      logger.warn({ err: error, action, roomId: this.roomId }, "action could not be written");
      return refusal;
    }
    logger.error({ err: error, action, roomId: this.roomId }, "action failed");
    return new DomainError("INTERNAL_ERROR");
  }

  /** Ends in order, so that what it refuses now can be asked of its successor. */
  get ending(): boolean {
    return this.#ending && !this.#retired;
  }

  /** Takes nothing from people any more: it has retired, or ends. */
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
    if (refusalIn(error)) return;
    logger.error({ err: error, methodName, roomId: this.roomId }, "actor handler failed");
  }
}
