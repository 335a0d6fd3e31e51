import express, { type Request, type Response, type Router } from "express";
import { checkInput } from "#shared/contracts/check-input.ts";
import { line, object } from "#shared/contracts/fields.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { hashRequest, type IdempotentCall } from "#shared/db/idempotency.ts";
import { mustBeOpen } from "#shared/domain/settings/maintenance.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { authenticate } from "./authenticate.ts";
import type { RateLimits } from "./rate-limit.ts";
import { type Locals, sendData } from "./respond.ts";
import { AlreadyThere, type Call, type Route } from "./route.ts";

/** What an operation gets that takes nothing. */
const nothing = Object.freeze({});
const noBody = object({});
const parseJson = express.json({ limit: "64kb", strict: true });
const idempotencyKey = line(1, 255);
/** Who an `anyone` route sees when no token came that still holds. */
export const nobody: UserPrincipal = { kind: "user", userId: "", sessionId: "", expiresAtMs: 0 };

/** Makes the Express routes of a table. Each step of a call stands here once, in order. */
export function mount(router: Router, routes: readonly Route[], rateLimits: RateLimits): void {
  for (const route of routes) {
    const answer = async (req: Request, res: Response) => {
      (res.locals as Locals).route = route.path;
      if (!route.inMaintenance) mustBeOpen();
      const caller = await callerFor(route, req);
      await rateLimits.take(route, whoCalls(req, caller));
      const answer = await route.handler(makeCall(route, req, res, caller));
      if (answer instanceof AlreadyThere) sendData(res, 200, answer.data);
      else sendData(res, route.status ?? 200, answer);
    };
    if (route.method === "get") router.get(route.path, answer);
    else router[route.method](route.path, parseJson, answer);
  }
}

/** To find the address those of all proxies are read: whoever does not ask does not wait for it. */
const whoCalls = (req: Request, { userId }: UserPrincipal) => ({
  userId,
  get ip() {
    return req.ip ?? "";
  },
});

async function callerFor(route: Route, req: Request): Promise<UserPrincipal> {
  if (route.auth !== "anyone") return authenticate(req);
  if (!req.headers.authorization) return nobody;
  try {
    return await authenticate(req);
  } catch (refusal) {
    // A client sends its expired token along when it refreshes or logs in anew: that must not stop it.
    if (refusal instanceof DomainError) return nobody;
    throw refusal;
  }
}

function makeCall(route: Route, req: Request, res: Response, caller: UserPrincipal): Call {
  const params = route.params ? checkInput(route.params, req.params) : nothing;
  const query = route.query ? checkInput(route.query, { ...req.query }, { stripUnknown: true }) : nothing;
  const body = route.method === "get" ? nothing : checkInput(route.body ?? noBody, bodyOf(req));
  const idempotency = route.idempotent && idempotencyOf(route, req, caller, { params, body });
  return {
    caller,
    params,
    query,
    body,
    get ip() {
      return req.ip ?? "";
    },
    get userAgent() {
      return (req.headers["user-agent"] ?? "").slice(0, 300);
    },
    requestId: (res.locals as Locals).requestId,
    ...(idempotency && { idempotency }),
  };
}

/** The parsed body; a body that nobody parsed because of its type is refused instead of being taken for none. */
function bodyOf(req: Request): unknown {
  if (req.body !== undefined) return req.body;
  const length = req.headers["content-length"];
  const hasBody = req.headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
  if (hasBody && req.headers["content-type"] !== undefined) throw new DomainError("UNSUPPORTED_MEDIA_TYPE");
  return {};
}

function idempotencyOf(route: Route, req: Request, caller: UserPrincipal, request: object): IdempotentCall | undefined {
  const header = req.headers["idempotency-key"];
  if (header === undefined) return undefined;
  const key = checkInput(idempotencyKey.label("Idempotency-Key"), header);
  return { scope: `${caller.userId} ${route.method} ${route.path}`, key, requestHash: hashRequest(request) };
}
