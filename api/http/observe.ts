import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { traceRequest } from "#shared/kernel/tracing.ts";
import type { Locals } from "./respond.ts";

const slowMs = 1000;

/**
 * Returns how serious a response is. Statuses from 520 on are Colyseus' reasons for rejecting a native client, which
 * any client can cause. Errors with a code of their own, such as VOICE_NOT_CONFIGURED, are no failures of the service.
 */
function levelOf(status: number, code: ErrorCode | undefined): "error" | "warn" | "debug" {
  if (status < 500 || status >= 520) return "debug";
  if (code === "ENGINE_UNAVAILABLE") return "warn";
  return code === undefined || code === "INTERNAL_ERROR" ? "error" : "debug";
}

/** A request ID from outside is kept if it is harmless in a log. */
const outsideId = /^[\w.-]{1,64}$/;

/** Assigns each request an ID, which its response, log lines, and audit entries have. */
export const assignRequestId: RequestHandler = (req, res, next) => {
  const given = req.headers["x-request-id"];
  const requestId = typeof given === "string" && outsideId.test(given) ? given : randomUUID();
  (res.locals as Locals).requestId = requestId;
  res.setHeader("X-Request-Id", requestId);
  next();
};

/**
 * Times and traces each request and logs those worth reading: errors of callers at debug, an unavailable part at warn,
 * faults at error, slow ones at warn. By route pattern, never by address: addresses carry tokens.
 */
export const observeRequests: RequestHandler = (req, res, next) => {
  const startedMs = performance.now();
  const { traceparent } = req.headers;
  const trace = traceRequest(typeof traceparent === "string" ? traceparent : undefined);
  res.once("close", () => {
    const tookMs = performance.now() - startedMs;
    const { requestId, route = "unmatched", code, caller, roomId } = res.locals as Locals;
    const { method } = req;
    const status = res.statusCode;
    metrics.httpRequests.observe({ method, route, status }, tookMs / 1000);
    const { userId, adminId } = (caller ?? {}) as { userId?: string; adminId?: string };
    const who = { userId, adminId, roomId, code };
    const line = { requestId, method, route, status, tookMs: Math.round(tookMs * 10) / 10, ...who };
    const level = levelOf(status, code);
    trace?.end(
      `${method} ${route}`,
      {
        "http.request.method": method,
        "http.route": route,
        "http.response.status_code": status,
        "hubbub.request_id": requestId,
      },
      status >= 500 && level !== "debug",
    );
    if (level !== "debug") logger[level](line, "request");
    else if (tookMs > slowMs) logger.warn(line, "slow request");
    else logger.debug(line, "request");
  });
  if (trace) trace.run(next);
  else next();
};
