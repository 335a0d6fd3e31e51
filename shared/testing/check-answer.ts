import { AssertionError } from "chai";
import { errorCodesOf } from "../../api/docs/operation-errors.ts";
import { type Route, successStatuses } from "../../api/http/route.ts";
import type { Answer } from "./service.ts";

/** The route that takes a call, as Express chooses it: the first that fits. `path` is below `/api/v1`. */
export function routeOf(routes: readonly Route[], method: string, path: string): Route | undefined {
  const segments = path.split("?")[0]!.split("/");
  return routes.find((route) => {
    const pattern = route.path.split("/");
    const fits = (part: string, index: number) => part.startsWith(":") || part === segments[index];
    return route.method === method.toLowerCase() && pattern.length === segments.length && pattern.every(fits);
  });
}

/**
 * Holds an answer against the entry of its route, so that every test of an endpoint proves the documents too: `data`
 * has the members of `response` and no others, the status is the one named, and a refusal's code is listed.
 * @throws AssertionError
 */
export function checkAnswer(route: Route, { status, body }: Pick<Answer, "status" | "body">): void {
  const name = `${route.method.toUpperCase()} ${route.path}`;
  if (status >= 400) {
    const code = body?.error?.code;
    if (!errorCodesOf(route).includes(code))
      throw new AssertionError(`${name} answered ${status} ${code}, which its entry does not list in \`errors\`.`);
    return;
  }
  const expected = successStatuses(route);
  if (!expected.includes(status))
    throw new AssertionError(`${name} answered ${status}, its entry says ${expected.join(" or ")}.`);
  const { error } = route.response.required().validate(body?.data, { convert: false, abortEarly: false });
  if (error) throw new AssertionError(`${name} answered what its \`response\` does not allow: ${error.message}`);
}
