import { AssertionError } from "chai";
import type Joi from "joi";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { errorCodesOf } from "../../api/docs/operation-errors.ts";
import type { Api } from "../../api/http/api.ts";
import { routesAt } from "../../api/http/paths.ts";
import { type Route, successStatuses } from "../../api/http/route.ts";
import type { Answer } from "./service.ts";

/** Returns the route of a call, like Express: the first match. `path` is relative to the base path. */
export function routeOf(routes: readonly Route[], method: string, path: string): Route | undefined {
  return routesAt(routes, path.split("?")[0]!).find((route) => route.method === method.toLowerCase());
}

/** Returns the code of a failure, in APIs whose failures have one. */
export const codeIn = (body: unknown): unknown => (body as { error?: { code?: unknown } } | undefined)?.error?.code;

/** What the entry of a route allows. */
interface Allowed {
  readonly success: Joi.Schema;
  readonly failures: readonly { readonly status: number; readonly code: unknown }[];
}

/** Made once for each route, which is one API's: building a schema takes longer than a call. */
const allowed = new WeakMap<Route, Allowed>();

function allowedBy(envelope: Api["envelope"], route: Route): Allowed {
  const known = allowed.get(route);
  if (known) return known;
  const made: Allowed = {
    success: envelope.successSchema(route.response.required(), route).required(),
    failures: errorCodesOf(route).map((code) => {
      const { status, body } = envelope.failure(new DomainError(code), "");
      return { status, code: codeIn(body) };
    }),
  };
  allowed.set(route, made);
  return made;
}

/**
 * Checks a response against the entry of its route, so that every test of an endpoint also verifies the documents: a
 * success has the API's envelope with exactly the fields of `response`, the status matches, error codes are listed, and
 * no cache may keep it. For APIs without error codes, checks the status of failures.
 * @throws AssertionError
 */
export function checkResponse(
  { envelope }: Pick<Api, "envelope">,
  route: Route,
  { status, body, headers }: Answer,
): void {
  const name = `${route.method.toUpperCase()} ${route.path}`;
  if (headers.get("cache-control") !== "no-store")
    throw new AssertionError(`${name} answered without \`Cache-Control: no-store\`: tokens could end up in a cache.`);
  if (status >= 400) {
    const { failures } = allowedBy(envelope, route);
    if (!failures.some((failure) => failure.status === status && failure.code === codeIn(body)))
      throw new AssertionError(
        `${name} answered ${status} ${codeIn(body)}, which its entry does not list in \`errors\`.`,
      );
    return;
  }

  const expected = successStatuses(route);
  if (!expected.includes(status))
    throw new AssertionError(`${name} answered ${status}, its entry says ${expected.join(" or ")}.`);
  const { error } = allowedBy(envelope, route).success.validate(body, { convert: false, abortEarly: false });
  if (error) throw new AssertionError(`${name} answered what its \`response\` does not allow: ${error.message}`);
}
