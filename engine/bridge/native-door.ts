import type { AuthContext, Client, MessageContext } from "@colyseus/core";
import { CloseCode, ServerError } from "@colyseus/core";
import type { Connection } from "#shared/contracts/actors.ts";
import type { Caller } from "#shared/contracts/caller.ts";
import { checkInput } from "#shared/contracts/check-input.ts";
import { id, input, text } from "#shared/contracts/fields.ts";
import { callerStands, verifyAccessToken } from "#shared/domain/sessions/access-token.ts";
import { mustBeOpen } from "#shared/domain/settings/maintenance.ts";
import { DomainError, type Result } from "#shared/kernel/domain-error.ts";
import type { ActorRoom } from "../core/actor-room.ts";
import { engine } from "../engine.ts";
import { type Envelope, toEnvelope, toFailure } from "./envelope.ts";
import { takeEvent } from "./event-rate.ts";

const joinOptions = input({ room_id: id().required(), password: text(1, 128) });
const refresh = input({ token: text(1, 4096).required() });
/** Seconds that Colyseus keeps a dropped client's place; the membership's own grace is the same. */
const reconnectSeconds = 30;

/**
 * `static onAuth` of an actor for native clients: who joins is said by the access token, which actor by `room_id`; the
 * actor is found or made before matchmaking looks for it. It throws what the client is to see.
 */
export function authenticateNative(kind: string) {
  return async (token: string, options: unknown, _context: AuthContext): Promise<Caller> => {
    try {
      const caller = verifyAccessToken(token ?? "");
      const { room_id } = checkInput<{ room_id: string }>(joinOptions, options);
      await engine().directory.ensure(kind, room_id);
      return caller;
    } catch (error) {
      const { code, message } = toFailure(error, "native sign-in");
      throw new ServerError(new DomainError(code).status, `${code}: ${message}`);
    }
  };
}

interface Rest {
  hasMember(userId: string): boolean;
  connectionsOf(userId: string): number;
}

/** The door of native Colyseus clients to one actor: their messages become commands, like those of every other door. */
export class NativeDoor {
  readonly #room: ActorRoom<object> & Rest;

  constructor(room: ActorRoom<object> & Rest, actions: readonly string[]) {
    this.#room = room;
    for (const action of actions)
      room.onMessage(action, (client: Client, payload: unknown, ctx: MessageContext) =>
        this.#answer(client, action, payload, ctx),
      );
    room.onMessage("auth:refresh", (client: Client, payload: unknown, ctx: MessageContext) =>
      this.#answer(client, "auth:refresh", payload, ctx),
    );
    room.onMessage("*", (client: Client, type: unknown) => {
      client.send("error", {
        event: String(type).slice(0, 64),
        code: "VALIDATION_ERROR",
        message: "There is no such event.",
      });
    });
  }

  /** A request is answered with the envelope; of a plain message only a refusal is told. */
  async #answer(client: Client, event: string, payload: unknown, ctx: MessageContext): Promise<Envelope | undefined> {
    const result = await this.#perform(client, event, payload).catch(
      (error: unknown): Result<unknown> => ({ ok: false, ...toFailure(error, event) }),
    );
    if (ctx?.id !== undefined) return toEnvelope(result);
    if (!result.ok) client.send("error", { event, code: result.code, message: result.message });
    return undefined;
  }

  async #perform(client: Client, event: string, payload: unknown): Promise<Result<unknown>> {
    if (engine().rateLimits) await takeEvent(client.sessionId);
    if (event === "auth:refresh") return this.#refresh(client, payload);
    const caller = this.#callerOf(client);
    callerStands(caller);
    mustBeOpen();
    const input = { room_id: this.#room.roomId, ...(payload as object) };
    if (input.room_id !== this.#room.roomId) throw new DomainError("NOT_FOUND");
    return this.#room.perform({ caller, action: event, input, connection: connectionOf(client) });
  }

  #refresh(client: Client, payload: unknown): Result<unknown> {
    const { token } = checkInput<{ token: string }>(refresh, payload);
    const caller = verifyAccessToken(token);
    if (caller.userId !== this.#callerOf(client).userId) throw new DomainError("UNAUTHENTICATED");
    client.auth = caller;
    return { ok: true, value: {} };
  }

  #callerOf(client: Client): Caller {
    return client.auth as Caller;
  }

  /** Undefined, or why he may not come in. */
  async join(client: Client, options: { password?: string }): Promise<DomainError | undefined> {
    const caller = this.#callerOf(client);
    const { password } = options;
    const result = await this.#room.perform({
      caller,
      action: "room:join",
      input: { room_id: this.#room.roomId, ...(password !== undefined && { password }) },
      connection: connectionOf(client),
    });
    if (!result.ok) return DomainError.from(result);
    await engine().presence.opened(caller.userId);
    engine().fanout.addNative(caller.userId, client);
    return undefined;
  }

  async drop(client: Client): Promise<void> {
    await this.#gone(client);
    if (!this.#room.hasMember(this.#callerOf(client).userId)) return;
    await this.#room.allowReconnection(client, reconnectSeconds).catch(() => undefined);
  }

  /** Back within the grace: asked like anybody who joins, so a ban or a revoked session that came meanwhile holds. */
  async reconnect(client: Client): Promise<void> {
    callerStands(this.#callerOf(client));
    const refusal = await this.join(client, {});
    if (refusal) client.leave(refusal.status + 4000, refusal.code);
  }

  /** The connection is over. Who ended it on purpose leaves the room with his last one. */
  async leave(client: Client, code?: number): Promise<void> {
    const caller = this.#callerOf(client);
    await this.#gone(client);
    if (code !== CloseCode.CONSENTED) return;
    if (this.#room.hasMember(caller.userId) && this.#room.connectionsOf(caller.userId) === 0)
      await this.#room.perform({ caller, action: "room:leave", input: {} });
  }

  async #gone(client: Client): Promise<void> {
    const { userId } = this.#callerOf(client);
    if (!engine().fanout.removeNative(userId, client)) return;
    await this.#room.perform({
      caller: null,
      action: "connection:drop",
      input: { connection_id: connectionOf(client).id },
    });
    await engine().presence.closed(userId);
  }

  /** The user is no longer in the room: his native connections to it end. */
  expel(userId: string): void {
    for (const client of [...this.#room.clients]) {
      if (this.#callerOf(client)?.userId !== userId) continue;
      client.leave(goneCode, "NOT_A_MEMBER");
    }
  }
}

/** Close code of a native connection whose user is no longer in the room. */
const goneCode = 4403;

const connectionOf = (client: Client): Connection => ({ id: `native:${client.sessionId}`, door: "native" });
