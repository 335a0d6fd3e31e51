import type { Request } from "express";
import type Joi from "joi";
import type { InputCheck } from "#shared/contracts/check-input.ts";
import type { Principal } from "#shared/contracts/principal.ts";
import type { DomainError } from "#shared/kernel/domain-error.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import type { BodyParser } from "./read-body.ts";
import type { Auth, RateLimit, Route, RouteEntry } from "./route.ts";

/** How an API wraps what it answers. */
export interface Envelope {
  readonly success: (data: unknown, route: RouteEntry) => unknown;
  /** Schema of what `success` makes of data that fits this schema. */
  readonly successSchema: (data: Joi.Schema, route: RouteEntry) => Joi.Schema;
  readonly failure: (error: DomainError, requestId: string) => { readonly status: number; readonly body: unknown };
  /** Schema of the bodies that `failure` makes of errors with these codes, which share a status. */
  readonly failureSchema: (codes: readonly ErrorCode[]) => Joi.ObjectSchema;
}

/** What the OpenAPI document of an API says beside its operations. */
export interface ApiDocument {
  readonly title: string;
  /** The file name of the document, which is served at this path of the root: `openapi.json`. */
  readonly file: string;
  /** Markdown. */
  readonly introduction: string;
  /** Describes each tag that its operations have. */
  readonly tags: Readonly<Record<string, string>>;
}

/** How the callers of an API identify themselves. `Api.authenticate` checks what they send. */
export interface Credentials {
  /** Names the security scheme in the documents: `bearer`. */
  readonly name: string;
  /** The security scheme as OpenAPI has it. */
  readonly scheme: object;
  /** The `WWW-Authenticate` header of a 401, such as `Bearer`. */
  readonly challenge: string;
  /** Returns the headers that a client sends with this token. */
  readonly headersOf: (token: string) => Readonly<Record<string, string>>;
}

/**
 * One API of the service: everything in which it differs from another. `mount` makes its router, and nothing of one API
 * shows in another.
 */
export interface Api<R extends Route = Route> {
  /** `/api/v1` */
  readonly basePath: string;
  readonly routes: readonly R[];
  /** Rejects calls that don't work during maintenance. @throws MAINTENANCE */
  readonly assertOpen: () => void;
  /** Throws if a caller of this kind may not call an operation that changes something. */
  readonly assertMay?: (caller: Principal, route: RouteEntry, req: Request) => void;
  /** Its errors are in the caller's language. Otherwise, everything is in English. */
  readonly speaks?: true;
  /** Only pages of its own origins may call it (`privateOrigins`). */
  readonly isPrivate?: true;
  /**
   * Returns the caller, or null for a call without credentials. Administrators are callers only where `auth` says so.
   * @throws UNAUTHENTICATED, or a similar error, if they are invalid
   */
  readonly authenticate: (req: Request, auth: Auth) => Promise<Principal | null>;
  readonly credentials: Credentials;
  /** How the administrators do so who may call operations with the auth `user_or_admin`. */
  readonly adminCredentials?: Credentials;
  /** Needed when routes have a permission. Also asked when a server of the operator acts as a bot. @throws FORBIDDEN */
  authorize?(caller: Principal, route: R): void | Promise<void>;
  readonly rateLimits: {
    /** Of all routes without a limit of their own, by whether they need a caller. */
    readonly defaults: { readonly anyone: RateLimit; readonly caller: RateLimit };
    /** What the calls of a caller are counted by. */
    readonly keyOf: (caller: Principal) => string;
  };
  /** Reads the bodies of all routes without a `rawBody`. */
  readonly bodies: BodyParser;
  /** Checks params, query and body, and says in the API's own words what is wrong. @throws VALIDATION_ERROR */
  readonly checkInput: InputCheck;
  readonly envelope: Envelope;
  readonly document: ApiDocument;
}
