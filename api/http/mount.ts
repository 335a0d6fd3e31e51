import { type Request, type RequestHandler, Router } from "express";
import { type Principal, serverKeyOf } from "#shared/contracts/principal.ts";
import { hooksOf } from "#shared/extension/hooks.ts";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { isId } from "#shared/kernel/ids.ts";
import type { Api } from "./api.ts";
import { CsvDownload, csvSuffix, sendCsv } from "./csv-download.ts";
import { nearestPath, routesAt } from "./paths.ts";
import type { RateLimits } from "./rate-limit.ts";
import { errorHandler, type Locals, languageOf, sendJson, urlNotFound } from "./respond.ts";
import type { RawCall, Route } from "./route.ts";
import { runHooked } from "./run-hooked.ts";

/**
 * Makes the router of an API, to be used at its base path. It answers every call there is, also with its own 404 and
 * its own errors: an API below another's base path comes before that.
 */
export function mount(api: Api, rateLimits: RateLimits): Router {
  const router = Router();
  for (const [method, routes] of Map.groupBy(api.routes, (route) => route.method)) {
    // A router tries its paths one by one.
    const ofMethod = Router();
    for (const route of routes) {
      ofMethod[method](route.path, handlerOf(api, route, rateLimits));
      if (route.csv) ofMethod.get(route.path + csvSuffix, handlerOf(api, route, rateLimits, { format: "csv" }));
    }
    const served = method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()];
    router.use((req, res, next) => (served.includes(req.method) ? ofMethod(req, res, next) : next()));
  }
  router.use((req, res) => {
    const methods = new Set(routesAt(api.routes, req.path).map(({ method }) => method.toUpperCase()));
    if (methods.size === 0 || methods.has(req.method)) {
      const meant = nearestPath(api.routes, req.path);
      throw urlNotFound(req, meant ? { meant: api.basePath + meant } : {});
    }
    const allowed = [...methods].join(", ");
    res.setHeader("Allow", allowed);
    throw urlNotFound(req, { allowed });
  });
  router.use(errorHandler(api));
  return router;
}

/** Each step of a call stands here once, in order. */
function handlerOf(api: Api, route: Route, rateLimits: RateLimits, query?: object): RequestHandler {
  assert(!route.permission || api.authorize, `${api.basePath} checks permissions`);
  const pattern = api.basePath + route.path;
  const limit = rateLimits.of(api, route);
  const readBody = route.rawBody?.read ?? route.readBody ?? api.bodies.read;

  return async (req, res) => {
    const locals = res.locals as Locals;
    locals.route = pattern;
    if (route.path.startsWith("/rooms/:id") && isId(req.params.id)) locals.roomId = req.params.id;
    if (!route.inMaintenance) api.assertOpen();
    const caller = await callerOf(api, route, req);
    locals.caller = caller;
    if (caller) api.assertMay?.(caller, route, req);
    if (!limit.only) await limit.count(req, caller);
    if (caller && (route.permission || serverKeyOf(caller))) await api.authorize?.(caller, route);
    const body = route.method === "get" ? undefined : await readBody(req, res);

    try {
      const call: RawCall = {
        req,
        ...(query && { query }),
        requestId: locals.requestId,
        caller,
        body,
        check: api.checkInput,
        language: () => languageOf(res),
      };
      const hooks = api.isPrivate ? undefined : hooksOf(`operation:${route.id}`);
      const { status, data } = await (hooks ? runHooked(hooks, route, call) : route.run(call));
      if (data instanceof CsvDownload) await sendCsv(res, data);
      else sendJson(res, status, api.envelope.success(data, route));
    } catch (error) {
      if (error instanceof DomainError && error.code === limit.only) await limit.count(req, caller);
      throw error;
    }
  };
}

/**
 * @throws UNAUTHENTICATED and the like, unless anyone may call: a client sends its expired token along when it logs in
 * again.
 */
async function callerOf(api: Api, { auth }: Route, req: Request): Promise<Principal | null> {
  try {
    const caller = await api.authenticate(req, auth);
    if (caller || auth === "anyone") return caller;
  } catch (error) {
    if (auth === "anyone" && error instanceof DomainError) return null;
    throw error;
  }
  const [header] = Object.entries(api.credentials.headersOf("<token>"));
  throw new DomainError("UNAUTHENTICATED", "No credentials were sent. Send the header `{{header}}`.", {
    values: { header: header!.join(": ") },
  });
}
