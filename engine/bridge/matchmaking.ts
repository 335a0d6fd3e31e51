import { matchMaker } from "@colyseus/core";
import express, { type RequestHandler, type Response } from "express";
import type Joi from "joi";
import { checkInput } from "#shared/contracts/check-input.ts";
import { anyObject, id, line, object, optional, text } from "#shared/contracts/fields.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { assertNotInMaintenance } from "#shared/domain/base/settings/maintenance.ts";
import { endOfRepeated } from "#shared/domain/live/games/games.queries.ts";
import { findSession } from "#shared/domain/live/games/session-state.ts";
import { DomainError, unwrap } from "#shared/kernel/domain-error.ts";
import { codesOfBodies } from "#shared/kernel/error-codes.ts";
import { isId } from "#shared/kernel/ids.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { maxPayload } from "../core/transport.ts";
import { engine } from "../engine.ts";
import { admitConnection } from "./admission.ts";
import { languageAsked, spoken, toEnvelope, toFailure } from "./envelope.ts";
import type { NativeAuth } from "./native-room.ts";

/** An actor that native clients can join, by the name that they know. */
interface Joinable {
  readonly kind: "voice_room" | "game_session";
  readonly idName: "room_id" | "session_id";
  readonly options: Joi.AnySchema<Record<string, string>>;
  /**
   * Throws the error with which the actor would reject the user. A wrong password fails only when the client connects.
   */
  assertMayJoin(caller: UserPrincipal, id: string, password: string | undefined): Promise<void>;
}

const joinable: Record<Joinable["kind"], Joinable> = {
  voice_room: {
    kind: "voice_room",
    idName: "room_id",
    options: object({ room_id: id(), password: optional(text(1, 128)) }).required(),
    assertMayJoin: async (principal, roomId, password) => {
      const input = password === undefined ? {} : { password };
      unwrap(await engine().directory.call("voice_room", roomId, { principal, action: "room:may_join", input }));
    },
  },
  game_session: {
    kind: "game_session",
    idName: "session_id",
    options: object({ session_id: id() }).required(),
    assertMayJoin: async (principal, sessionId) => {
      const view = { principal, action: "game:view", input: {} } as const;
      const result = await engine().directory.call("game_session", sessionId, view);
      // Only its players may learn that a game is over.
      if (!result.ok) await endOfRepeated(result, sessionId, principal.userId, undefined);
      unwrap(result);
    },
  },
};

const kinds = Object.keys(joinable) as Joinable["kind"][];
const reconnection = object({ reconnectionToken: line(1, 64) }).required();
const attempts = 3;

/** The methods that the SDK may request with `POST /matchmake/<method>/<name>`. */
const methods: Readonly<Record<string, (name: string, options: unknown, asked: PlaceRequest) => Promise<object>>> = {
  join: async (name, options, asked) => join(await admitted(asked), joinableOf(name), options),
  // Rooms are created over REST. A room without an actor gets one when a user joins it.
  joinOrCreate: async (name, options, asked) => {
    const auth = await admitted(asked);
    const { idName } = joinableOf(name);
    if ((options as Record<string, unknown> | undefined)?.[idName] === undefined)
      throw new DomainError(
        "VALIDATION_ERROR",
        "Send `{{field}}`: here, `joinOrCreate` only joins. Rooms are created with `POST /api/v1/rooms`, games with `POST /api/v1/games/lobbies`.",
        { values: { field: idName } },
      );
    return join(auth, joinableOf(name), options);
  },
  joinById: async (actorId, options, asked) => {
    const auth = await admitted(asked);
    const { kind, idName } = joinable[(await isGame(actorId)) ? "game_session" : "voice_room"];
    return join(auth, joinable[kind], { ...checkInput(anyObject().required(), options), [idName]: actorId });
  },
  reconnect: async (actorId, options) => {
    const { reconnectionToken } = checkInput(reconnection, options);
    return matchMaker.reconnect(actorId, { reconnectionToken }).catch(() => {
      throw new DomainError("NOT_FOUND", "This reservation has expired. Join again.");
    });
  },
  create: async (_name, _options, asked) => {
    await admitted(asked);
    throw new DomainError(
      "VALIDATION_ERROR",
      "Clients can't create rooms here. Use `POST /api/v1/rooms`, then `join`.",
    );
  },
};

/** What matters of a request for a place. */
interface PlaceRequest {
  readonly token: string;
  readonly address: string;
  readonly language: Language | undefined;
}

/**
 * @throws UNAUTHENTICATED, TOKEN_EXPIRED, ACCOUNT_SUSPENDED, SANCTIONED, RATE_LIMITED, MAINTENANCE; a place kept is
 * still returned to
 */
async function admitted({ token, language, address }: PlaceRequest): Promise<NativeAuth> {
  const caller = await admitConnection(token, address);
  assertNotInMaintenance();
  return { caller, language };
}

const pathPattern = /^\/matchmake\/([^/]+)\/([^/]+)$/;
const readBody = express.json({ limit: maxPayload, strict: false, type: () => true });

/**
 * Handles the SDK's requests for a place in an actor. Responds with a reservation, or the envelope of an error, of
 * which the SDK shows the field `message`. Must come before any body parser.
 */
export const matchmake: RequestHandler = (req, res, next) => {
  const [, method, name] = pathPattern.exec(req.path) ?? [];
  if (!method || !name) return next();
  if (req.method !== "POST") {
    res.setHeader("Allow", "POST");
    return next(
      new DomainError("METHOD_NOT_ALLOWED", "{{method}} {{path}} doesn't exist. Allowed here: {{allowed}}.", {
        values: { method: req.method, path: req.path.slice(0, 200), allowed: "POST" },
      }),
    );
  }
  readBody(req, res, (error?: unknown) => {
    const asked = {
      address: engine().addressOf(req),
      token: /^Bearer (\S+)$/.exec(req.headers.authorization ?? "")?.[1] ?? "",
      language: languageAsked(undefined, req.headers["accept-language"]),
    };
    if (error) return fail(res, new DomainError(codesOfBodies[(error as { status?: number }).status ?? 400]!), asked);
    reserve(method, name, req.body, asked).then(
      (reservation) => res.json(reservation),
      (refusal: unknown) => fail(res, refusal, asked),
    );
  });
};

/**
 * `place`: a kind of room, or an ID, as it is in the path. It is decoded here, because an exception where the body has
 * been read would end the process.
 */
async function reserve(method: string, place: string, options: unknown, asked: PlaceRequest): Promise<object> {
  const name = decoded(place);
  if (matchMaker.state === matchMaker.MatchMakerState.SHUTTING_DOWN) throw unavailable();
  if (Object.hasOwn(methods, method)) return methods[method]!(name, options, asked);
  throw new DomainError("NOT_FOUND", "There is no method `{{method}}`. Use `join` or `reconnect`.", {
    values: { method: method.slice(0, 64) },
  });
}

/** @throws VALIDATION_ERROR */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new DomainError("VALIDATION_ERROR", "The path isn't valid percent-encoded UTF-8.");
  }
}

async function fail(res: Response, error: unknown, { language }: PlaceRequest): Promise<void> {
  const failure = await spoken(toFailure(error, "matchmaking"), undefined, language);
  const { status, retryAfter } = DomainError.from(failure);
  if (retryAfter !== undefined) res.setHeader("Retry-After", retryAfter);
  res.status(status).json({ ...toEnvelope({ ok: false, ...failure }), message: `${failure.code}: ${failure.message}` });
}

const unavailable = () =>
  new DomainError("ENGINE_UNAVAILABLE", "This room can't be reached right now.", { retryAfter: 1 });

function joinableOf(name: string): Joinable {
  if (Object.hasOwn(joinable, name)) return joinable[name as Joinable["kind"]];
  throw new DomainError("NOT_FOUND", "There is no kind of room `{{name}}`. Join `{{kinds}}`.", {
    values: { name: name.slice(0, 64), kinds: kinds.join("` or `") },
  });
}

/** Reserves a place for a user who may join. It expires after 15 s. */
async function join(auth: NativeAuth, { kind, idName, options: schema, assertMayJoin }: Joinable, given: unknown) {
  const options = checkInput(schema, given);
  const actorId = options[idName]!;
  await engine().connections.assertMayOpen(auth.caller.userId);
  await assertMayJoin(auth.caller, actorId, options.password);

  for (let attempt = 0; attempt < attempts; attempt += 1) {
    await engine().directory.ensure(kind, actorId);
    const listed = await matchMaker.driver.findOne({ roomId: actorId });
    // An actor may end between being found and being asked.
    const reservation = listed && (await matchMaker.reserveSeatFor(listed, options, auth).catch(() => undefined));
    if (reservation) return reservation;
  }
  throw unavailable();
}

/** A client that joins by ID doesn't name the kind of the actor. */
const isGame = async (actorId: string): Promise<boolean> => isId(actorId) && (await findSession(actorId)) !== undefined;
