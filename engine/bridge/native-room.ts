import type { AuthContext, Client, MessageContext } from "@colyseus/core";
import { CloseCode, matchMaker } from "@colyseus/core";
import type Joi from "joi";
import { connectionActions, userActions } from "#shared/contracts/actions.ts";
import type { ActorKind, Connection } from "#shared/contracts/actors.ts";
import { checkInput } from "#shared/contracts/check-input.ts";
import type { EventPayloads } from "#shared/contracts/events.ts";
import { id, object, optional, text } from "#shared/contracts/fields.ts";
import { service, type UserPrincipal } from "#shared/contracts/principal.ts";
import { assertCallerActive } from "#shared/domain/sessions/access-token.ts";
import { DomainError, type Result } from "#shared/kernel/domain-error.ts";
import { ActorRoom } from "../core/actor-room.ts";
import type { ActorData } from "../core/decision.ts";
import { toServerError } from "../core/server-error.ts";
import { engine } from "../engine.ts";
import { admitConnection, assertConnectionLimit } from "./admission.ts";
import { type ClientConnection, dispatch } from "./dispatch.ts";
import { type Envelope, toEnvelope, toFailure } from "./envelope.ts";

/** What a native client says when it joins an actor: its id, under the name that it has for clients. */
const joinOptions = {
  room_id: object({ room_id: id(), password: optional(text(1, 128)) }).required(),
  session_id: object({ session_id: id() }).required(),
};
/** Seconds that Colyseus keeps a dropped client's place; the membership's own grace is the same. */
const reconnectSeconds = 30;
/** Close code of a native connection whose user is no longer in the room. */
const goneCode = 4403;

/** What Colyseus keeps as `client.auth`. Not the caller itself: its `sessionId` would be taken for the connection's. */
interface NativeAuth {
  readonly caller: UserPrincipal;
}

/** Returns who speaks over a native connection. */
export const nativeCaller = (client: Client): UserPrincipal => (client.auth as NativeAuth).caller;

/**
 * `static onAuth` of an actor for native clients: the access token says who joins, the option `idName` which actor; it is
 * found or made before matchmaking looks for it. Throws what the client is to see.
 */
export function authenticateNative(kind: ActorKind, idName: keyof typeof joinOptions) {
  return async (token: string, options: unknown, _context: AuthContext): Promise<NativeAuth> => {
    try {
      const caller = await admitConnection(token);
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

/**
 * An actor that native Colyseus clients may join: their connections are handled like those of Socket.IO, and their
 * messages become commands.
 */
export abstract class NativeRoom<
  Kind extends ActorKind,
  Data extends ActorData<Stored>,
  Stored,
  State extends object,
> extends ActorRoom<Kind, Data, Stored, State> {
  /** The action that asks whether a user may come in. */
  protected abstract readonly joinAction: string;
  /** Events of clients that are about this actor, need not name it and may name no other. */
  protected readonly ownEvents: readonly string[] = [];
  /** Connections that the actor has let in. */
  readonly #admitted = new Set<string>();

  /** May a connection that was dropped come back? */
  protected abstract mayReturn(userId: string): boolean;

  override async onCreate(options: { room_id: string }): Promise<void> {
    await super.onCreate(options);
    for (const event of [...this.ownEvents, ...Object.keys(userActions), ...Object.keys(connectionActions)])
      this.onMessage(event, (client: Client, payload: unknown, ctx: MessageContext) =>
        this.#reply(client, event, payload, ctx),
      );
    this.onMessage("*", (client: Client, type: unknown) =>
      sendError(client, String(type).slice(0, 64), new DomainError("VALIDATION_ERROR", "This event doesn't exist.")),
    );
  }

  /** A request is answered with the envelope; a plain message only when it is rejected. */
  async #reply(client: Client, event: string, payload: unknown, ctx: MessageContext): Promise<Envelope | undefined> {
    const result = await this.#dispatch(client, event, payload).catch(
      (error: unknown): Result<unknown> => ({ ok: false, ...toFailure(error, event) }),
    );
    if (ctx?.id !== undefined) return toEnvelope(result);
    if (!result.ok) sendError(client, event, result);
    return undefined;
  }

  async #dispatch(client: Client, event: string, payload: unknown): Promise<Result<unknown>> {
    const result = await dispatch(this.#connectionOf(client, event), event, payload);
    // The actor may have heard of this connection's end before it let it in once more.
    const isOpen = () =>
      engine()
        .fanout.nativesOf(nativeCaller(client).userId)
        .some(({ sessionId }) => sessionId === client.sessionId);
    if (event === this.joinAction && !isOpen()) await this.#dropConnection(client, { ended: false });
    return result;
  }

  #connectionOf(client: Client, event: string): ClientConnection {
    return {
      rateKey: client.sessionId,
      connection: connectionOf(client),
      ...(this.ownEvents.includes(event) && { own: { id: this.roomId, perform: (command) => this.perform(command) } }),
      get caller() {
        return nativeCaller(client);
      },
      set caller(caller) {
        client.auth = { caller } satisfies NativeAuth;
      },
    };
  }

  override async onJoin(client: Client, options: { password?: string } = {}): Promise<void> {
    const caller = nativeCaller(client);
    const failure = await this.#enter(client, caller, options);
    if (!failure) return engine().presence.opened(caller.userId);
    engine().fanout.removeNative(caller.userId, client);
    await this.#dropConnection(client, { ended: false });
    throw toServerError(failure);
  }

  /** Returns undefined, or why the user may not come in. */
  async #enter(
    client: Client,
    caller: UserPrincipal,
    { password }: { password?: string },
  ): Promise<DomainError | undefined> {
    try {
      // Asked again: others may have come since matchmaking, which may have been another process'.
      assertConnectionLimit(caller.userId);
      // A revocation that comes from here on finds the connection; one that came since matchmaking is seen now.
      engine().fanout.addNative(caller.userId, client);
      assertCallerActive(caller);
    } catch (error) {
      return error as DomainError;
    }
    const result = await this.perform({
      principal: caller,
      action: this.joinAction,
      input: password === undefined ? {} : { password },
      connection: connectionOf(client),
    });
    return result.ok ? undefined : DomainError.from(result);
  }

  override async onDrop(client: Client): Promise<void> {
    await this.#gone(client, { ended: false });
    if (!this.mayReturn(nativeCaller(client).userId)) return;
    // Not waited for: a connection that Colyseus ends would stay open, and unheard, for as long. Its end is `onLeave`.
    this.allowReconnection(client, reconnectSeconds).catch(() => undefined);
  }

  /** Back within the grace: asked like a new one, so a ban or a revoked session that came meanwhile holds. */
  override onReconnect(client: Client): Promise<void> {
    return this.onJoin(client);
  }

  /** The connection is over. A user who ended their last one on purpose leaves the room. */
  override onLeave(client: Client, code?: number): Promise<void> {
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
    await this.perform({ principal: service, action: "connection:drop", input: { connection_id, ended } });
  }

  override admit(connection: Connection): void {
    super.admit(connection);
    if (connection.transport === "native") this.#admitted.add(connection.id);
  }

  /**
   * The user is no longer in the room: their native connections to it end. One by which they are coming again stays; the
   * one by which they ask for it is answered first, which takes no turn of the event loop.
   */
  override expel(userId: string, asking?: Connection): void {
    super.expel(userId, asking);
    for (const client of [...this.clients]) {
      const { id: connectionId } = connectionOf(client);
      if (nativeCaller(client).userId !== userId || !this.#admitted.has(connectionId)) continue;
      const end = () => client.leave(goneCode, "NOT_A_MEMBER");
      if (connectionId === asking?.id) setImmediate(end);
      else end();
    }
  }
}

function sendError(client: Client, event: string, { code, message }: { code: string; message: string }): void {
  client.send("error", { event, code, message } satisfies EventPayloads["error"]);
}

const connectionOf = (client: Client): Connection => ({
  id: `native:${client.sessionId}`,
  processId: matchMaker.processId,
  transport: "native",
});
