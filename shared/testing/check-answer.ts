import { AssertionError } from "chai";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { errorCodesOf } from "../../api/docs/operation-errors.ts";
import type { Api } from "../../api/http/api.ts";
import { type Route, successStatuses } from "../../api/http/route.ts";
import type { Answer } from "./service.ts";

/** The route that takes a call, as Express chooses it: the first that fits. `path` is below the base path. */
export function routeOf(routes: readonly Route[], method: string, path: string): Route | undefined {
  const segments = path.split("?")[0]!.split("/");
  return routes.find((route) => {
    const pattern = route.path.split("/");
    const fits = (part: string, index: number) => part.startsWith(":") || part === segments[index];
    return route.method === method.toLowerCase() && pattern.length === segments.length && pattern.every(fits);
  });
}

const codeIn = (body: unknown): unknown => (body as { error?: { code?: unknown } } | undefined)?.error?.code;

/**
 * Holds an answer against the entry of its route, so that every test of an endpoint proves the documents too: a success has
 * the fields of `response` and no others in the envelope of its API, the status is the one named, and the code of a failure
 * is listed. An API whose failures carry no code has their statuses checked.
 * @throws AssertionError
 */
export function checkAnswer(
  { envelope }: Pick<Api, "envelope">,
  route: Route,
  { status, body }: Pick<Answer, "status" | "body">,
): void {
  const name = `${route.method.toUpperCase()} ${route.path}`;
  if (status >= 400) {
    const listed = errorCodesOf(route).map((code) => envelope.failure(new DomainError(code), ""));
    if (!listed.some((failure) => failure.status === status && codeIn(failure.body) === codeIn(body)))
      throw new AssertionError(
        `${name} answered ${status} ${codeIn(body)}, which its entry does not list in \`errors\`.`,
      );
    return;
  }

  const expected = successStatuses(route);
  if (!expected.includes(status))
    throw new AssertionError(`${name} answered ${status}, its entry says ${expected.join(" or ")}.`);
  const schema = envelope.successSchema(route.response.required(), route);
  const { error } = schema.required().validate(body, { convert: false, abortEarly: false });
  if (error) throw new AssertionError(`${name} answered what its \`response\` does not allow: ${error.message}`);
}
