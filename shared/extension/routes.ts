import type Joi from "joi";
import type { AdminPrincipal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";

/** A call as the handler of a route gets it: authenticated, checked, and converted by the schemas. */
export interface ExtensionCall<Params, Query, Body, Caller> {
  readonly caller: Caller;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Set when the route is `idempotent` and the client sent an `Idempotency-Key`; goes to `hub.transaction`. */
  readonly idempotency: IdempotentCall | undefined;
}

interface Entry<Params, Query, Body, Data> {
  /** Names the operation for generated clients: a verb and its object, `openRedPacket`. Unique. */
  readonly id: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Below the API, beginning with the extension's name with `-` for `_`: `/red-packets/:id`. */
  readonly path: string;
  /** An imperative phrase of two to five words. */
  readonly summary: string;
  readonly description?: string;
  readonly params?: Joi.ObjectSchema<Params>;
  readonly query?: Joi.ObjectSchema<Query>;
  readonly body?: Joi.ObjectSchema<Body>;
  readonly response: Joi.AnySchema<Data>;
  readonly status?: 200 | 201;
  /** Codes of this operation beside those that any call can fail with: ours, or the extension's own. */
  readonly errors?: readonly string[];
  /** Moves coins: an `Idempotency-Key` is honoured. */
  readonly idempotent?: true;
}

type UserEntry<Params, Query, Body, Data> = Entry<Params, Query, Body, Data> & {
  readonly handler: (
    call: ExtensionCall<NoInfer<Params>, NoInfer<Query>, NoInfer<Body>, UserPrincipal>,
  ) => Promise<NoInfer<Data>>;
};

type AdminEntry<Params, Query, Body, Data> = Entry<Params, Query, Body, Data> & {
  /** What a role must allow: reading or writing what is the extension's. */
  readonly permission: "read" | "write";
  /** What a call that writes adds to the audit log, by `tx.audit`. */
  readonly audit?: { readonly action: string; readonly target: string };
  readonly handler: (
    call: ExtensionCall<NoInfer<Params>, NoInfer<Query>, NoInfer<Body>, AdminPrincipal>,
  ) => Promise<NoInfer<Data>>;
};

/** An operation of an extension, for users or for administrators. */
export type ExtensionRoute = (
  | { readonly for: "users" }
  | ({ readonly for: "administrators" } & Pick<AdminEntry<object, object, object, unknown>, "permission" | "audit">)
) &
  Entry<object, object, object, unknown> & {
    readonly handler: (call: ExtensionCall<object, object, object, never>) => Promise<unknown>;
  };

/** An operation of users, below `/api/v1`. Types follow from the schemas. */
export const userRoute = <Params = object, Query = object, Body = object, Data = unknown>(
  entry: UserEntry<Params, Query, Body, Data>,
): ExtensionRoute => ({ ...entry, for: "users" }) as unknown as ExtensionRoute;

/** An operation of administrators, below `/api/v1/admin`. Types follow from the schemas. */
export const adminRoute = <Params = object, Query = object, Body = object, Data = unknown>(
  entry: AdminEntry<Params, Query, Body, Data>,
): ExtensionRoute => ({ ...entry, for: "administrators" }) as unknown as ExtensionRoute;
