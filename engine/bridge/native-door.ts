import type { AuthContext, Client, MessageContext } from "@colyseus/core";
import { CloseCode, matchMaker } from "@colyseus/core";
import type Joi from "joi";
import { connectionActions, userActions } from "#shared/contracts/actions.ts";
import type { Connection } from "#shared/contracts/actors.ts";
import { checkInput } from "#shared/contracts/check-input.ts";
import { id, object, optional, text } from "#shared/contracts/fields.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { callerStands, verifyAccessToken } from "#shared/domain/sessions/access-token.ts";
import { mustBeOpen } from "#shared/domain/settings/maintenance.ts";
import { DomainError, type Result } from "#shared/kernel/domain-error.ts";
import type { ActorRoom } from "../core/actor-room.ts";
import { toServerError } from "../core/refusal.ts";
import { engine } from "../engine.ts";
import { type Envelope, toEnvelope, toFailure } from "./envelope.ts";
import { mustAdmit, mustHaveFew, takeEvent } from "./event-rate.ts";
import { roomIdIn } from "./room-id.ts";
import { isUserEvent, performUserEvent } from "./user-events.ts";

/** What a native client says when it joins an actor: its id, under the name that it has for clients. */
const joinOptions = {
  room_id: object({ room_id: id(), password: optional(text(1, 128)) }).required(),
  session_id: object({ session_id: id() }).required(),
};
const refresh = connectionActions["auth:refresh"].payload.required();
/** Seconds that Colyseus keeps a dropped client's place; the membership's own grace is the same. */
const reconnectSeconds = 30;

/** What Colyseus keeps as `client.auth`. Not the caller himself: it would take his session's id for the connection's. */
interface NativeAuth {
  readonly caller: UserPrincipal;
}

/** Who speaks over a native connection. */
export const nativeCaller = (client: Client): UserPrincipal => (client.auth as NativeAuth).caller;

/**
 * `static onAuth` of an actor for native clients: who joins is said by the access token, which actor by the option
 * `idName`; the actor is found or made before matchmaking looks for it. It throws what the client is to see.
 */
export function authenticateNative(kind: string, idName: keyof typeof joinOptions) {
  return async (token: string, options: unknown, _context: AuthContext): Promise<NativeAuth> => {
    try {
      const caller = verifyAccessToken(token ?? "");
      await mustAdmit(caller.userId);
      const schema: Joi.AnySchema<Record<string, string>> = joinOptions[idName];
      const room_id = checkInput(schema, options)[idName]!;
      await engine().directory.ensure(kind, room_id);
      // Matchmaking compares it as it stands here with the ids of actors, which have one spelling.
      Object.assign(options as object, { room_id });
      return { caller };
    } catch (error) {
      throw toServerError(DomainError.from(toFailure(error, "native sign-in")));
    }
  };
}

/** What a native client's coming and going means to an actor. */
export interface NativeHost {
  /** The action that asks whether somebody may come in. */
  readonly joinAction: string;
  /** May a connection that was dropped come back? */
  mayReturn(userId: string): boolean;
}

/** The door of native Colyseus clients to one actor: their messages become commands, like those of every other door. */
export class NativeDoor {
  readonly #room: ActorRoom<object> & NativeHost;
  /** Connections that the actor has let in. */
  readonly #admitted = new Set<string>();

  constructor(room: ActorRoom<object> & NativeHost, actions: readonly string[]) {
    this.#room = room;
    for (const action of [...actions, ...Object.keys(userActions), ...Object.keys(connectionActions)])
      room.onMessage(action, (client: Client, payload: unknown, ctx: MessageContext) =>
        this.#answer(client, action, payload, ctx),
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
    const caller = nativeCaller(client);
    callerStands(caller);
    mustBeOpen();
    if (isUserEvent(event)) return performUserEvent(caller, event, payload);
    const { roomId } = this.#room;
    const named = (payload as { room_id?: unknown } | null | undefined)?.room_id;
    if (named !== undefined && roomIdIn(payload) !== roomId) throw new DomainError("NOT_FOUND");
    const connection = connectionOf(client);
    const result = await this.#room.perform({ caller, action: event, input: payload ?? {}, connection });
    // The actor may have been told of this connection's end before it let it in once more.
    const isOpen = () =>
      engine()
        .fanout.nativesOf(caller.userId)
        .some(({ sessionId }) => sessionId === client.sessionId);
    if (event === this.#room.joinAction && !isOpen()) await this.#dropConnection(client, { ended: false });
    return result;
  }

  #refresh(client: Client, payload: unknown): Result<unknown> {
    const { token } = checkInput(refresh, payload);
    const caller = verifyAccessToken(token);
    if (caller.userId !== nativeCaller(client).userId) throw new DomainError("UNAUTHENTICATED");
    client.auth = { caller } satisfies NativeAuth;
    return { ok: true, value: {} };
  }

  /** Undefined, or why he may not come in. */
  async join(client: Client, options: { password?: string }): Promise<DomainError | undefined> {
    const caller = nativeCaller(client);
    const refusal = await this.#enter(client, caller, options);
    if (refusal) {
      engine().fanout.removeNative(caller.userId, client);
      await this.#dropConnection(client, { ended: false });
    } else await engine().presence.opened(caller.userId);
    return refusal;
  }

  async #enter(
    client: Client,
    caller: UserPrincipal,
    { password }: { password?: string },
  ): Promise<DomainError | undefined> {
    try {
      // Asked again: others may have come since matchmaking, which may have been another process'.
      mustHaveFew(caller.userId);
      // A revocation that comes from here on finds the connection; one that came since matchmaking is seen now.
      engine().fanout.addNative(caller.userId, client);
      callerStands(caller);
    } catch (refusal) {
      return refusal as DomainError;
    }
    const result = await this.#room.perform({
      caller,
      action: this.#room.joinAction,
      input: password === undefined ? {} : { password },
      connection: connectionOf(client),
    });
    return result.ok ? undefined : DomainError.from(result);
  }

  /** The actor has let this connection in. */
  admit({ id: connectionId, door }: Connection): void {
    if (door === "native") this.#admitted.add(connectionId);
  }

  async drop(client: Client): Promise<void> {
    await this.#gone(client, { ended: false });
    if (!this.#room.mayReturn(nativeCaller(client).userId)) return;
    // Not waited for: a connection that Colyseus ends would stay open, and unheard, for as long. Its end is `leave`.
    this.#room.allowReconnection(client, reconnectSeconds).catch(() => undefined);
  }

  /** Back within the grace: asked like anybody who joins, so a ban or a revoked session that came meanwhile holds. */
  async reconnect(client: Client): Promise<void> {
    const refusal = await this.join(client, {});
    if (refusal) throw toServerError(refusal);
  }

  /** The connection is over. Who ended it on purpose leaves the room with his last one. */
  leave(client: Client, code?: number): Promise<void> {
    return this.#gone(client, { ended: code === CloseCode.CONSENTED });
  }

  async #gone(client: Client, { ended }: { ended: boolean }): Promise<void> {
    const { userId } = nativeCaller(client);
    if (!engine().fanout.removeNative(userId, client)) return;
    await this.#dropConnection(client, { ended });
    await engine().presence.closed(userId);
  }

  /** Also of one that was refused: what fails after the turn leaves the connection in the room. */
  async #dropConnection(client: Client, { ended }: { ended: boolean }): Promise<void> {
    const { id: connection_id } = connectionOf(client);
    this.#admitted.delete(connection_id);
    await this.#room.perform({ caller: null, action: "connection:drop", input: { connection_id, ended } });
  }

  /**
   * The user is no longer in the room: his native connections to it end. One by which he just comes again stays; the one
   * by which he asks for it is answered first, which takes no turn of the event loop.
   */
  expel(userId: string, asking?: Connection): void {
    for (const client of [...this.#room.clients]) {
      const { id: connectionId } = connectionOf(client);
      if (nativeCaller(client).userId !== userId || !this.#admitted.has(connectionId)) continue;
      const end = () => client.leave(goneCode, "NOT_A_MEMBER");
      if (connectionId === asking?.id) setImmediate(end);
      else end();
    }
  }
}

/** Close code of a native connection whose user is no longer in the room. */
const goneCode = 4403;

const connectionOf = (client: Client): Connection => ({
  id: `native:${client.sessionId}`,
  processId: matchMaker.processId,
  door: "native",
});
