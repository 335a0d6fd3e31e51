import type { Client, MessageContext } from "@colyseus/core";
import { CloseCode, matchMaker } from "@colyseus/core";
import { connectionActions, userActions } from "#shared/contracts/actions.ts";
import type { ActorKind, Connection } from "#shared/contracts/actors.ts";
import { closeCodes } from "#shared/contracts/close-codes.ts";
import type { ServerPush } from "#shared/contracts/events.ts";
import { service, type UserPrincipal } from "#shared/contracts/principal.ts";
import { assertNotInMaintenance } from "#shared/domain/base/settings/maintenance.ts";
import { DomainError, type Failure, type Result } from "#shared/kernel/domain-error.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { ActorRoom } from "../core/actor-room.ts";
import { dropReservations, handleAllMessages } from "../core/colyseus-internals.ts";
import type { ActorData } from "../core/decision.ts";
import { toServerError } from "../core/server-error.ts";
import { wheel } from "../core/wheel.ts";
import { engine } from "../engine.ts";
import { assertStillAdmitted, leavesWithSession } from "./admission.ts";
import { type ClientConnection, dispatch, unknownEvent } from "./dispatch.ts";
import { type Acknowledgement, errorEventOf, spoken, toEnvelope, toFailure } from "./envelope.ts";
import type { PushOptions } from "./fanout.ts";

/** Seconds that Colyseus keeps a dropped client's place; the membership's own grace is the same. */
const reconnectSeconds = 30;
/** How Colyseus marks the names of messages that are bytes. */
const bytesMark = "_$b";

/** What Colyseus keeps as `client.auth`. Not the caller itself: its `sessionId` would be taken for the connection's. */
export interface NativeAuth {
  readonly caller: UserPrincipal;
  /** Asked for when it joined. */
  readonly language?: Language | undefined;
}

/** Returns the user of a native connection. */
export const nativeCaller = (client: Client): UserPrincipal => (client.auth as NativeAuth).caller;

const spokenTo = (client: Client, failure: Failure): Promise<Failure> =>
  spoken(failure, nativeCaller(client).userId, (client.auth as NativeAuth).language);

/** The actor that each native client is in. */
const actors = new WeakMap<Client, { dismiss(client: Client, code: number, reason: string): void }>();

/** Ends a native connection at once. With the code `sessionEnded` its user leaves the room if it was their last. */
export function endNative(client: Client, code: number, reason: string): void {
  actors.get(client)?.dismiss(client, code, reason);
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
  /** The action that checks whether a user may join. */
  protected abstract readonly joinAction: string;
  /** Client events that this actor accepts. They need not name it, and can't name another. */
  protected readonly ownEvents: readonly string[] = [];
  /** Connections that the actor has admitted. */
  readonly #admitted = new Set<string>();
  /** Functions that count each connection as closed. */
  readonly #closed = new WeakMap<Client, () => void>();
  /** Connections that count for the presence of their users. */
  readonly #online = new WeakSet<Client>();
  /** The ends of connections that were dropped, by their session IDs. */
  readonly #leaving = new Map<string, Promise<void>>();

  /** Ends the actor and its connections, and the reservations of clients that haven't come. */
  override disconnect(closeCode?: number): Promise<unknown> {
    dropReservations(this);
    return super.disconnect(closeCode);
  }

  /** An actor that ends has no place: its client gets one of the successor. */
  override hasReachedMaxClients(): boolean {
    return this.isEnding || super.hasReachedMaxClients();
  }

  /** Returns whether a dropped connection may come back. */
  protected abstract mayReturn(userId: string): boolean;

  override async onCreate(options: { room_id: string }): Promise<void> {
    await super.onCreate(options);
    handleAllMessages(this, (event, client, payload, context) => this.#reply(client, event, payload, context));
  }

  /** A request is answered with the envelope; a plain message only when it is rejected. */
  async #reply(
    client: Client,
    event: string,
    payload: unknown,
    ctx: MessageContext,
  ): Promise<Acknowledgement | undefined> {
    const result = await this.#dispatch(client, event, payload).catch(
      (error: unknown): Result<unknown> => ({ ok: false, ...toFailure(error, event) }),
    );
    const answer = result.ok ? result : { ...result, ...(await spokenTo(client, result)) };
    if (ctx?.id !== undefined) return toEnvelope(answer);
    if (!answer.ok) client.send("error", errorEventOf(event.replace(bytesMark, ""), answer));
    return undefined;
  }

  async #dispatch(client: Client, event: string, payload: unknown): Promise<Result<unknown>> {
    const takes = this.ownEvents.includes(event) || Object.hasOwn(commonEvents, event);
    const connection = this.#connectionOf(client, event);
    if (!takes) return unknownEvent(connection, event, [...this.ownEvents, ...Object.keys(commonEvents)]);

    const result = await dispatch(connection, event, payload);
    // The actor may have been told of this connection's end before it admitted it again, as it does for all that
    // members do.
    if (!isOpen(client)) await this.#dropConnection(client, { ended: false });
    return result;
  }

  #connectionOf(client: Client, event: string): ClientConnection {
    return {
      connection: connectionOf(client),
      end: () => void setImmediate(() => endFlooding(client)),
      ...(this.ownEvents.includes(event) && { own: { id: this.roomId, perform: (command) => this.perform(command) } }),
      get caller() {
        return nativeCaller(client);
      },
      set caller(caller) {
        client.auth = { ...(client.auth as NativeAuth), caller } satisfies NativeAuth;
      },
    };
  }

  /** Makes the state that native clients see, if the kind makes it only when one joins. */
  protected makeState(): void {}

  /** Pushes to everyone in the room, however they are connected. */
  protected pushToAll(push: ServerPush, options: PushOptions): void {
    engine().fanout.toRoom(this.roomId, push, options);
    if (this.clients.length > 0) this.broadcast(push.event, push.payload);
  }

  override onJoin(client: Client, { password }: { password?: string } = {}): Promise<void> {
    // The place may have been reserved before maintenance began.
    return this.#connect(client, password, assertNotInMaintenance);
  }

  async #connect(client: Client, password?: string, assertOpen?: () => void): Promise<void> {
    actors.set(client, this);
    this.makeState();
    wheel.addPatches(this);
    const caller = nativeCaller(client);
    const failure = await this.#enter(client, caller, password, assertOpen);
    if (!failure && isOpen(client)) {
      this.#online.add(client);
      return engine().presence.opened(caller.userId);
    }
    this.#forget(client);
    await this.#dropConnection(client, { ended: !failure });
    const { message, code } = await spokenTo(client, (failure ?? new DomainError("UNAUTHENTICATED")).toFailure());
    throw toServerError(new DomainError(code, message));
  }

  /** Returns the error that keeps the user out, or undefined. */
  async #enter(
    client: Client,
    caller: UserPrincipal,
    password?: string,
    assertOpen?: () => void,
  ): Promise<DomainError | undefined> {
    try {
      this.#closed.set(client, await engine().connections.open(caller.userId));
      // A later revocation finds this connection; this check finds one that came after matchmaking.
      engine().fanout.addNative(caller.userId, client);
      assertStillAdmitted(caller);
      assertOpen?.();
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

  override async onDrop(client: Client, code?: number): Promise<void> {
    const isEnd = code === closeCodes.sessionEnded;
    const gone = this.#gone(client, { ended: isEnd && leavesWithSession(nativeCaller(client)) });
    if (!isEnd && this.mayReturn(nativeCaller(client).userId)) {
      this.#leaving.set(client.sessionId, gone);
      // At once: a client that comes back before it is gone is refused otherwise, and gives up. Not awaited: a
      // connection that Colyseus ends would stay open, and unheard, that long. `onLeave` follows.
      this.allowReconnection(client, reconnectSeconds).catch(() => undefined);
    }
    await gone.finally(() => {
      if (this.#leaving.get(client.sessionId) === gone) this.#leaving.delete(client.sessionId);
    });
  }

  /**
   * Back within the grace period, once the connection before is gone, which has the same ID: checked like a new
   * connection, so a new ban or revocation takes effect.
   */
  override async onReconnect(client: Client): Promise<void> {
    await this.#leaving.get(client.sessionId)?.catch(() => undefined);
    return this.#connect(client);
  }

  /** The connection is over. A user who ended their last one on purpose leaves the room. */
  override onLeave(client: Client, code?: number): Promise<void> {
    return this.#gone(client, { ended: code === CloseCode.CONSENTED });
  }

  /** Ends a connection at once, whether or not its client answers. */
  dismiss(client: Client, code: number, reason: string): void {
    this.kickClient(client.sessionId, code, reason);
    client.leave(code, reason);
  }

  async #gone(client: Client, { ended }: { ended: boolean }): Promise<void> {
    if (!this.#forget(client)) return;
    // First, so that the room sees whether the user is still online.
    if (this.#online.delete(client)) await engine().presence.closed(nativeCaller(client).userId);
    await this.#dropConnection(client, { ended });
  }

  /** Stops pushes to this connection, and no longer counts it. Returns whether it was there. */
  #forget(client: Client): boolean {
    this.#closed.get(client)?.();
    this.#closed.delete(client);
    return engine().fanout.removeNative(nativeCaller(client).userId, client);
  }

  /** Also for a rejected connection: a failure after the turn leaves the connection in the room. */
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
   * Ends the native connections of a user who is no longer in the room. One that is joining again stays; the
   * one that requested it is answered first, which takes no turn of the event loop.
   */
  override expel(userId: string, asking?: Connection): void {
    super.expel(userId, asking);
    for (const client of [...this.clients]) {
      const { id: connectionId } = connectionOf(client);
      if (nativeCaller(client).userId !== userId || !this.#admitted.has(connectionId)) continue;
      const end = () => client.leave(closeCodes.notMember, "NOT_A_MEMBER");
      if (connectionId === asking?.id) setImmediate(end);
      else end();
    }
  }
}

/** Messages that a native client may send to any actor. */
const commonEvents = { ...userActions, ...connectionActions };

const isOpen = (client: Client): boolean =>
  engine()
    .fanout.nativesOf(nativeCaller(client).userId)
    .some(({ sessionId }) => sessionId === client.sessionId);

function endFlooding(client: Client): void {
  if (!isOpen(client)) return;
  metrics.connectionsCut.inc({ reason: "flooded" });
  endNative(client, closeCodes.flooded, "RATE_LIMITED");
}

const connectionOf = (client: Client): Connection => ({
  id: `native:${client.sessionId}`,
  processId: matchMaker.processId,
  transport: "native",
});
