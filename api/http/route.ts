import type { IncomingHttpHeaders } from "node:http";
import type { Request } from "express";
import type Joi from "joi";
import type { BlockRuleName } from "#shared/contracts/block-rules.ts";
import type { InputCheck } from "#shared/contracts/check-input.ts";
import { object } from "#shared/contracts/fields.ts";
import type { RequiredPermission } from "#shared/contracts/permissions.ts";
import type { AdminPrincipal, KeyHolderPrincipal, Principal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { callerAddress } from "./caller-address.ts";
import { type CsvExport, downloadOf } from "./csv-download.ts";
import { idempotencyOf } from "./idempotency.ts";
import type { BodyReader } from "./read-body.ts";

/**
 * Who may call, and the caller that the handler then gets. `anyone` needs no token; a valid one is still read, so that
 * an answer can be personal.
 */
export interface Callers {
  readonly anyone: UserPrincipal | null;
  readonly user: UserPrincipal;
  /** An administrator needs the operation's permission. */
  readonly user_or_admin: UserPrincipal | AdminPrincipal;
  readonly key_holder: KeyHolderPrincipal;
  readonly admin: AdminPrincipal;
}

export type Auth = keyof Callers;
/** The callers of operations without a permission. */
type UserAuth = Exclude<Auth, "admin" | "user_or_admin">;

/** At most `points` calls in `seconds`, counted by the caller's address or by the caller. */
export interface RateLimit {
  readonly points: number;
  readonly seconds: number;
  readonly by: "ip" | Exclude<Auth, "anyone" | "user_or_admin">;
  /** Counts only the calls that fail with this code, instead of every call before it is handled. */
  readonly only?: ErrorCode;
}

/** A request header, for the documents. */
export interface HeaderField {
  readonly name: string;
  readonly description: string;
  readonly example: string;
}

/** A body that is not read as the API reads its bodies, such as a signed one, which is needed byte by byte. */
export interface RawBody<Body> {
  readonly read: BodyReader<Body>;
  /** What the body holds, for the documents. */
  readonly schema: Joi.Schema;
  /** For the documents. Default: those of the API. */
  readonly contentTypes?: readonly string[];
}

/** A call as it came in: the caller is authenticated and the body is parsed, but no input is checked yet. */
export interface RawCall {
  readonly req: Request;
  /** What the path adds to the query. */
  readonly query?: object;
  readonly requestId: string;
  readonly caller: Principal | null;
  readonly body: unknown;
  readonly check: InputCheck;
  /** The input as the schemas convert it, if hooks have seen it: to check it again would cost more than a hook. */
  readonly checked?: unknown;
  readonly language: () => Promise<Language>;
}

/** The input of a call, unchecked. */
export type RawInput = Pick<RawCall, "query" | "body" | "check"> & { readonly req: Pick<Request, "params" | "query"> };

/** Returns the user agent, shortened to what is stored. */
export const userAgentOf = ({ headers }: Pick<Request, "headers">): string =>
  (headers["user-agent"] ?? "").slice(0, 300);

/** One REST call as its handler gets it: authenticated, checked, converted. */
export interface Call<Params = object, Query = object, Body = object, Caller = UserPrincipal> {
  readonly caller: Caller;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Set when the route is `idempotent` and the client sent an Idempotency-Key; goes to `inTransaction`. */
  readonly idempotency: IdempotentCall | undefined;
  readonly requestId: string;
  /** All request headers, unchecked. */
  readonly headers: IncomingHttpHeaders;
  readonly ip: string;
  readonly userAgent: string;
  /** Returns the language of texts in the response. */
  readonly language: () => Promise<Language>;
}

/** What an audit entry is about. Without ID: a resource that the call creates, whose ID is in the response. */
export interface AuditTarget {
  readonly type: string;
  readonly id?: string;
  /** Default: the action of the operation. */
  readonly action?: string;
}

/** What an operation is, apart from what it does. */
export interface RouteEntry {
  /** Names the operation for generated clients: a verb and its object, `approveSeatRequest`. Unique. */
  readonly id: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Below the base path of the API, with `:name` for parameters. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly auth: Auth;
  /** Instead of the API's default for its `auth`. */
  readonly rateLimit?: RateLimit;
  /** Moves coins or makes an order: an Idempotency-Key is honoured. */
  readonly idempotent?: true;
  /** A field of its form that may carry the key instead of the header. Then `"1"` and 1 are the same in the form. */
  readonly idempotencyField?: string;
  readonly params?: Joi.ObjectSchema;
  readonly query?: Joi.ObjectSchema;
  readonly headers?: readonly HeaderField[];
  readonly body?: Joi.ObjectSchema;
  /** Reads the body instead of the API, which accepts less. */
  readonly readBody?: BodyReader;
  /** Instead of `body`. */
  readonly rawBody?: RawBody<unknown>;
  /** Schema of the data that a success carries. */
  readonly response: Joi.Schema;
  /** 200 unless something is created. */
  readonly status?: 200 | 201;
  /** With `status` 201: the resource may exist already. The handler then returns an `AlreadyExists`. */
  readonly mayExist?: true;
  /** What a call is told about a block; absent if it takes no ID, and in other APIs than the social one. */
  readonly blocks?: BlockRuleName;
  /** Error codes of this operation, in addition to those that any call of its kind can fail with. */
  readonly errors?: readonly ErrorCode[];
  /** Not in the contract that clients were made by. The documents say so. */
  readonly extension?: true;
  /** Works during maintenance too. */
  readonly inMaintenance?: true;
  /** What an administrator's role must allow; every entry of an admin API has one, see `admin-route.ts`. */
  readonly permission?: RequiredPermission;
  /** Its data can also be downloaded as CSV, with `format=csv`. */
  readonly csv?: { readonly fileName: string };
  /** What a successful call adds to the audit log: an entry for each target. */
  readonly audit?: {
    readonly action: string;
    readonly targetsOf: (input: RawInput, data: unknown) => readonly AuditTarget[];
  };
}

/**
 * One operation of an API. The Express route, the OpenAPI document and the table test are made from the same entry, so
 * what is documented is what runs.
 */
export interface Route extends RouteEntry {
  /** Checks the input, then calls the handler. @throws VALIDATION_ERROR, and whatever the handler throws */
  readonly run: (call: RawCall) => Promise<{ readonly status: 200 | 201; readonly data: unknown }>;
}

/** Every status that a call of this route succeeds with. */
export const successStatuses = ({ status = 200, mayExist }: RouteEntry): number[] =>
  mayExist ? [status, 200] : [status];

/** Returned by the handler of a `mayExist` route when nothing had to be created; sent with 200 instead of 201. */
export class AlreadyExists<Data> {
  readonly data: Data;

  constructor(data: Data) {
    this.data = data;
  }
}

/** The parts of an entry that its types follow from: `Exists` is `true` for a `mayExist` route. */
export interface Typed<Params, Query, Body, Data, A extends Auth, Exists extends true> {
  readonly params?: Joi.ObjectSchema<Params>;
  readonly query?: Joi.ObjectSchema<Query>;
  readonly body?: Joi.ObjectSchema<Body>;
  readonly rawBody?: RawBody<Body>;
  readonly response: Joi.AnySchema<Data>;
  readonly auth: A;
  readonly mayExist?: Exists;
}

/** What a handler returns: the data of its response, or where the entry allows it, what exists already. */
export type Returned<Data, Exists extends true> = [Exists] extends [never] ? Data : Data | AlreadyExists<Data>;

/** The parts of an entry that every route declares in the same way. */
export type Untyped = Omit<
  RouteEntry,
  keyof Typed<never, never, never, never, Auth, true> | "permission" | "audit" | "csv"
>;

/** What a route is made of. `A` follows from the entry, or is known before. */
type Entry<Params, Query, Body, Data, A extends Auth, Exists extends true> = Untyped &
  Typed<Params, Query, Body, Data, A, Exists> & {
    readonly permission?: never;
    readonly audit?: never;
    readonly csv?: CsvExport<Call<NoInfer<Params>, NoInfer<Query>, NoInfer<Body>, Callers[A]>>;
    readonly handler: (
      call: Call<NoInfer<Params>, NoInfer<Query>, NoInfer<Body>, Callers[A]>,
    ) => Promise<Returned<NoInfer<Data>, Exists>>;
  };

/**
 * Makes a route of its entry. Types follow from the schemas: the handler gets what `params`, `query` and `body` let
 * through, and must return what `response` says, or the entry does not compile.
 */
export function route<
  Params = object,
  Query = object,
  Body = object,
  Data = unknown,
  A extends UserAuth = "user",
  Exists extends true = never,
>(entry: Entry<Params, Query, Body, Data, A, Exists>): Route & { readonly auth: A } {
  return {
    ...entry,
    run: async (raw) => {
      const call = checkedCall<Params, Query, Body, A>(entry, raw);
      return downloadOf(entry.csv, call) ?? answerOf(entry, await entry.handler(call));
    },
  };
}

/** Returns a `route` whose entries share a tag and may be called by the same callers. */
export const routeOf =
  <A extends UserAuth>(tag: string, auth: A) =>
  <Params = object, Query = object, Body = object, Data = unknown, Exists extends true = never>(
    entry: Omit<Entry<Params, Query, Body, Data, A, Exists>, "tag" | "auth">,
  ) =>
    route({ tag, auth, ...entry });

const noFields = object({});
const nothing = Object.freeze({});

const unauthenticated = (): never => {
  throw new DomainError("UNAUTHENTICATED");
};

/** Narrows the caller to what the handler of each `auth` gets. */
const admit: { readonly [A in Auth]: (caller: Principal | null) => Callers[A] } = {
  anyone: (caller) => (caller?.kind === "user" ? caller : null),
  user: (caller) => (caller?.kind === "user" ? caller : unauthenticated()),
  user_or_admin: (caller) => (caller?.kind === "user" || caller?.kind === "admin" ? caller : unauthenticated()),
  key_holder: (caller) => (caller?.kind === "key_holder" ? caller : unauthenticated()),
  admin: (caller) => (caller?.kind === "admin" ? caller : unauthenticated()),
};

/** Creates the call that the handler gets. @throws UNAUTHENTICATED for another kind of caller, VALIDATION_ERROR */
export function checkedCall<Params, Query, Body, A extends Auth>(
  entry: Untyped & Typed<Params, Query, Body, unknown, A, true>,
  raw: RawCall,
): Call<Params, Query, Body, Callers[A]> {
  const caller = admit[entry.auth](raw.caller);
  const input = (raw.checked as ReturnType<typeof inputOf<Params, Query, Body>>) ?? inputOf(entry, raw);
  const idempotency = entry.idempotent && idempotencyOf(entry, raw, { params: input.params, body: input.body });
  return {
    ...input,
    caller,
    idempotency,
    requestId: raw.requestId,
    language: raw.language,
    headers: raw.req.headers,
    // Read only on demand: those of all proxies are parsed to find it.
    get ip() {
      return callerAddress(raw.req);
    },
    userAgent: userAgentOf(raw.req),
  };
}

/** Checks and converts the input of a call by the schemas of its entry. @throws VALIDATION_ERROR */
export function inputOf<Params, Query, Body>(
  entry: Untyped & Typed<Params, Query, Body, unknown, Auth, true>,
  raw: RawInput,
): { readonly params: Params; readonly query: Query; readonly body: Body } {
  const { req } = raw;
  const params = entry.params ? raw.check(entry.params, req.params) : (nothing as Params);
  const query = entry.query
    ? raw.check(entry.query, { ...req.query, ...raw.query }, { stripUnknown: true })
    : (nothing as Query);
  if (!entry.body && !entry.rawBody && entry.method !== "get") raw.check(noFields, raw.body);
  const body = entry.body ? raw.check(entry.body, raw.body) : ((entry.rawBody ? raw.body : nothing) as Body);
  return { params, query, body };
}

/** Adds the status to what a handler returned. */
export const answerOf = ({ status = 200 }: Untyped, returned: unknown): Awaited<ReturnType<Route["run"]>> =>
  returned instanceof AlreadyExists ? { status: 200, data: returned.data } : { status, data: returned };
