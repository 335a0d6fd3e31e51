import type Joi from "joi";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";

/** Who may call. `anyone` needs no token; a valid one is still read, so that an answer can be personal. */
export type Auth = "anyone" | "user";

/** At most `points` calls in `seconds`, counted by the caller's address or by the user. */
export interface RateLimit {
  readonly points: number;
  readonly seconds: number;
  readonly by: "ip" | "user";
}

/** One REST call as its handler sees it: authenticated, checked, converted. */
export interface Call<Params = object, Query = object, Body = object> {
  readonly caller: UserPrincipal;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly ip: string;
  readonly userAgent: string;
  readonly requestId: string;
  /** Set when the route is `idempotent` and the client sent an Idempotency-Key; goes to `inTransaction`. */
  readonly idempotency?: IdempotentCall;
}

/**
 * One operation of the REST API. The Express route, the OpenAPI document and the table test are made from the same
 * entry, so what is documented is what runs.
 */
export interface Route {
  /** Names the operation for generated clients: a verb and what it is done to, `approveSeatRequest`. Unique. */
  readonly id?: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Below `/api/v1`, with `:name` for parameters. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly auth: Auth;
  /** Instead of the default for its `auth`. */
  readonly rateLimit?: RateLimit;
  /** Moves coins or makes an order: an Idempotency-Key is honoured. */
  readonly idempotent?: true;
  readonly params?: Joi.ObjectSchema;
  readonly query?: Joi.ObjectSchema;
  readonly body?: Joi.ObjectSchema;
  /** Schema of `data`. */
  readonly response: Joi.Schema;
  /** 200 unless something is made. */
  readonly status?: 200 | 201;
  /** With `status` 201: what is to be made may be there already. The handler answers an `AlreadyThere` then. */
  readonly mayExist?: true;
  /** Codes of its own, beside those that any call of its kind can answer. */
  readonly errors?: readonly ErrorCode[];
  /** Not in the contract that clients were made by. The documents say so. */
  readonly extension?: true;
  /** Answers also while the service is in maintenance. */
  readonly inMaintenance?: true;
  readonly handler: (call: Call) => Promise<unknown>;
}

/** What an operation is, apart from who does it. */
export type RouteEntry = Omit<Route, "handler">;

/**
 * An operation that the table cannot make, because its body has to be read as bytes: plain Express beside its feature.
 * Its entry is documented like the others.
 */
export interface PlainRoute extends Omit<RouteEntry, "body" | "query" | "idempotent"> {
  /** As OpenAPI has it. */
  readonly requestBody: object;
  /** Parameters in the head, as OpenAPI has them. */
  readonly headers: readonly object[];
}

/** Every status that a call of this route succeeds with. */
export const successStatuses = ({ status = 200, mayExist }: RouteEntry): number[] =>
  mayExist ? [status, 200] : [status];

/** What a handler of a `mayExist` route answers when nothing had to be made; goes out with 200 instead of 201. */
export class AlreadyThere<Data = unknown> {
  readonly data: Data;

  constructor(data: Data) {
    this.data = data;
  }
}

/**
 * Makes a route of its entry. Types follow from the schemas: the handler sees what `params`, `query` and `body` let
 * through, and must answer what `response` says, or the entry does not compile.
 */
export function route<Params = object, Query = object, Body = object, Data = unknown>(
  entry: Omit<Route, "params" | "query" | "body" | "response" | "handler"> & {
    readonly params?: Joi.ObjectSchema<Params>;
    readonly query?: Joi.ObjectSchema<Query>;
    readonly body?: Joi.ObjectSchema<Body>;
    readonly response: Joi.AnySchema<Data>;
    readonly handler: (call: Call<Params, Query, Body>) => Promise<NoInfer<Data> | AlreadyThere<NoInfer<Data>>>;
  },
): Route {
  return entry as unknown as Route;
}
