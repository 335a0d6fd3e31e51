import type Joi from "joi";
import { type connectionActions, userActions, voiceActions } from "#shared/contracts/actions.ts";
import type { ActorKind, Connection } from "#shared/contracts/actors.ts";
import { checkInput } from "#shared/contracts/check-input.ts";
import { type ClientEvent, clientEvents, isClientEvent } from "#shared/contracts/client-events.ts";
import { gameActions, lobbyActions } from "#shared/contracts/game-actions.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { accessOthers } from "#shared/domain/social/conversations/conversations.policy.ts";
import { DomainError, type Result } from "#shared/kernel/domain-error.ts";
import { nearestName } from "#shared/kernel/nearest-name.ts";
import { SpanKind, traced } from "#shared/kernel/tracing.ts";
import type { Command } from "../core/command.ts";
import { engine } from "../engine.ts";
import { admitEvent, countEvent, refreshedCaller } from "./admission.ts";

/** A client's connection, over either transport. */
export interface ClientConnection {
  /** Replaced when the client sends a new token. */
  caller: UserPrincipal;
  readonly connection: Connection;
  /** Ends it after the pending answers, because its user floods. */
  readonly end: () => void;
  /** The actor to which a native connection belongs. Its events need not name it. */
  readonly own?: { readonly id: string; perform(command: Command): Promise<Result<unknown>> };
}

/** Which kind of actor an event goes to, and which field of its payload names the actor. */
interface EventRoute {
  readonly kind: ActorKind;
  readonly idName: "room_id" | "lobby_id" | "session_id";
  readonly payload: Joi.ObjectSchema;
}

type Handler = (client: ClientConnection, payload: unknown) => Promise<Result<unknown>>;

const handlersOf = (
  kind: ActorKind,
  idName: EventRoute["idName"],
  table: Readonly<Record<string, { payload: Joi.ObjectSchema }>>,
): [string, Handler][] =>
  Object.entries(table).map(([event, spec]) => {
    const route = { kind, idName, payload: spec.payload.required() };
    return [event, (client, payload) => toActor(client, route, event, payload)];
  });

type ActorEvent = keyof typeof voiceActions | keyof typeof lobbyActions | keyof typeof gameActions;

/** Events that go to no actor. */
const withoutActor: Record<Exclude<ClientEvent, ActorEvent | keyof typeof connectionActions>, Handler> = {
  "typing:dm": ({ caller }, payload) => showTyping(caller, payload),
};

const handlers: ReadonlyMap<string, Handler> = new Map([
  ...handlersOf("voice_room", "room_id", voiceActions),
  ...handlersOf("game_lobby", "lobby_id", lobbyActions),
  ...handlersOf("game_session", "session_id", gameActions),
  ...Object.entries(withoutActor),
]);

/** Admits, validates, and executes one event of a client. @throws the error that rejects it */
export async function dispatch(client: ClientConnection, event: string, payload: unknown): Promise<Result<unknown>> {
  await countEvent(client);
  if (event === "auth:refresh") {
    client.caller = await refreshedCaller(client.caller, payload);
    return { ok: true, value: {} };
  }
  const handle = handlers.get(event);
  if (!handle || !isClientEvent(event)) throw noSuchEvent(event, Object.keys(clientEvents));
  admitEvent(client.caller, event);
  return traced(`event ${event}`, { kind: SpanKind.SERVER }, () => handle(client, payload));
}

/** Counts and rejects an event that the client's actor doesn't accept. `taken`: the events that it accepts. */
export async function unknownEvent(
  client: ClientConnection,
  event: string,
  taken: readonly string[],
): Promise<Result<never>> {
  await countEvent(client);
  return { ok: false, ...noSuchEvent(event, taken).toFailure() };
}

function noSuchEvent(event: string, known: readonly string[]): DomainError {
  const nearest = nearestName(event, known);
  const values = { event: event.slice(0, 64) };
  return nearest
    ? new DomainError("VALIDATION_ERROR", "There is no event `{{event}}`. Did you mean `{{nearest}}`?", {
        values: { ...values, nearest },
      })
    : new DomainError("VALIDATION_ERROR", "There is no event `{{event}}`.", { values });
}

async function toActor(
  { caller, connection, own }: ClientConnection,
  { kind, idName, payload: schema }: EventRoute,
  event: string,
  payload: unknown,
): Promise<Result<unknown>> {
  const { [idName]: id, ...input } = checkInput(schema, own ? named(payload, idName, own.id) : payload);
  const command = { principal: caller, action: event, input, connection };
  if (!own) return engine().directory.pass(kind, id, command);
  if (id !== own.id) throw new DomainError("NOT_FOUND");
  return own.perform(command);
}

/** The payload with the id of the actor, which it may leave out. */
function named(payload: unknown, idName: EventRoute["idName"], id: string): unknown {
  if (payload !== undefined && (typeof payload !== "object" || Array.isArray(payload))) return payload;
  const given = (payload as Partial<Record<typeof idName, unknown>> | null | undefined)?.[idName];
  return { ...payload, [idName]: given === undefined ? id : given };
}

const typing = userActions["typing:dm"].payload.required();

async function showTyping({ userId }: UserPrincipal, payload: unknown): Promise<Result<object>> {
  const { conversation_id, typing: isTyping } = checkInput(typing, payload);
  const others = await accessOthers(userId, conversation_id);
  const push = { event: "typing:dm", payload: { conversation_id, user_id: userId, typing: isTyping } } as const;
  engine().fanout.toUsers(others, push, { volatile: true });
  return { ok: true, value: {} };
}
