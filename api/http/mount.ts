import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Principal } from "#shared/contracts/principal.ts";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Api } from "./api.ts";
import type { RateLimits } from "./rate-limit.ts";
import { errorHandler, type Locals, sendJson } from "./respond.ts";
import type { RawCall, Route } from "./route.ts";

/**
 * Makes the router of an API, to be used at its base path. It answers every call there is, also with its own 404 and its
 * own errors: an API below another's base path comes before that.
 */
export function mount(api: Api, rateLimits: RateLimits): Router {
  const router = Router();
  for (const route of api.routes) router[route.method](route.path, handlerOf(api, route, rateLimits));
  router.use(() => {
    throw new DomainError("NOT_FOUND", "There is no such address.");
  });
  router.use(errorHandler(api.envelope));
  return router;
}

/** Each step of a call stands here once, in order. */
function handlerOf(api: Api, route: Route, rateLimits: RateLimits): RequestHandler {
  assert(!route.permission || api.authorize, `${api.basePath} checks permissions`);
  const pattern = api.basePath + route.path;
  const limit = rateLimits.of(api, route);
  const readBody = route.rawBody?.read ?? api.readBody;

  return async (req, res) => {
    (res.locals as Locals).route = pattern;
    if (!route.inMaintenance) api.assertOpen();
    const caller = await callerOf(api, route, req);
    if (!limit.only) await limit.count(req, caller);
    if (caller && route.permission) await api.authorize?.(caller, route);
    const body = route.method === "get" ? undefined : await readBody(req, res);

    try {
      const { status, data } = await route.run(rawCall(api, req, res, caller, body));
      sendJson(res, status, api.envelope.success(data, route));
    } catch (error) {
      if (error instanceof DomainError && error.code === limit.only) await limit.count(req, caller);
      throw error;
    }
  };
}

/** @throws UNAUTHENTICATED and the like, unless anyone may call: a client sends its expired token along when it logs in again. */
async function callerOf(api: Api, { auth }: Route, req: Request): Promise<Principal | null> {
  try {
    const caller = await api.authenticate(req);
    if (caller || auth === "anyone") return caller;
  } catch (error) {
    if (auth === "anyone" && error instanceof DomainError) return null;
    throw error;
  }
  throw new DomainError("UNAUTHENTICATED");
}

/** Reads what takes time only when it is asked for: of the address, those of all proxies. */
const rawCall = (
  { checkInput: check }: Api,
  req: Request,
  res: Response,
  caller: Principal | null,
  body: unknown,
): RawCall => ({
  caller,
  body,
  check,
  params: req.params,
  headers: req.headers,
  requestId: (res.locals as Locals).requestId,
  get query() {
    return { ...req.query };
  },
  get ip() {
    return req.ip ?? "";
  },
});
