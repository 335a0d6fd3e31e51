import compression from "compression";
import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import { toUnavailableError } from "#shared/db/unavailable.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { codesOfBodies } from "#shared/kernel/error-codes.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Api } from "./api.ts";

/** What `res.locals` holds during a request. */
export interface Locals {
  requestId: string;
  /** The pattern of the route that took the request, for logs and metrics. */
  route?: string;
  /** The code of the error that the request ended with. */
  code?: ErrorCode;
}

/** Minimum length of a response to compress, in characters, if the client accepts compression. */
const compressedFrom = 4096;
const compress = compression({ threshold: 0 });

/** The error of a URL that doesn't exist, which it names. */
export const urlNotFound = ({ method, baseUrl, path }: Request, advice?: string): DomainError => {
  const problem = `${method} ${(baseUrl + path).slice(0, 200)} doesn't exist.`;
  return new DomainError("NOT_FOUND", advice ? `${problem} ${advice}` : problem);
};

/** Keeps responses out of caches. */
export const noStore: RequestHandler = (_req, res, next) => {
  res.setHeader("Cache-Control", "no-store");
  next();
};

/**
 * Sends JSON, which is never cached: it may contain tokens or be personal. Express's own `json` would hash every response
 * for an ETag that no client uses.
 */
export function sendJson(res: Response, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.statusCode = status;
  res.setHeader("Content-Type", "application/json; charset=utf-8");
  res.setHeader("Cache-Control", "no-store");
  if (text.length < compressedFrom) {
    res.end(text);
    return;
  }
  // With its length: `compression` leaves it out if it doesn't compress, and the response would go in chunks.
  const bytes = Buffer.from(text);
  res.setHeader("Content-Length", bytes.length);
  compress(res.req, res, () => res.end(bytes));
}

/** Converts what was thrown to a `DomainError`; undefined for an unexpected error. */
export function toDomainError(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  if (error instanceof URIError) return new DomainError("NOT_FOUND");
  const { expose, status, message } = (error ?? {}) as { expose?: boolean; status?: number; message?: string };
  if (!expose || status === undefined || status >= 500) return toUnavailableError(error);
  const code = codesOfBodies[status];
  return code ? new DomainError(code) : new DomainError("VALIDATION_ERROR", message);
}

/**
 * Returns the error handler of an API: the only place where an error becomes a response. Internal details are logged, and
 * never sent to the client.
 */
export const errorHandler =
  ({ envelope, credentials }: Pick<Api, "envelope" | "credentials">): ErrorRequestHandler =>
  (thrown: unknown, req, res, next) => {
    const { requestId, route } = res.locals as Locals;
    const expected = toDomainError(thrown);
    if (!expected) logger.error({ err: thrown, requestId, method: req.method, route }, "request failed");
    if (res.headersSent) return next(thrown);

    const error = expected ?? new DomainError("INTERNAL_ERROR");
    (res.locals as Locals).code = error.code;
    const { status, body } = envelope.failure(error, requestId);
    if (error.retryAfter !== undefined) res.setHeader("Retry-After", String(error.retryAfter));
    if (status === 401) res.setHeader("WWW-Authenticate", credentials.challenge);
    abandonBody(req);
    // The contract has no code for a wrong method. Only the status distinguishes it from a URL that doesn't exist.
    sendJson(res, res.hasHeader("Allow") ? 405 : status, body);
  };

/** Time for a client to finish a body that is no longer read, milliseconds. */
const bodyGraceMs = 10_000;

/**
 * Abandons a body that was not read to its end. Node sends the response immediately, discards the rest of the body as it
 * arrives, and serves the next request on the connection. A body that doesn't end in time closes the connection.
 */
export function abandonBody(req: Request, graceMs = bodyGraceMs): void {
  if (req.complete) return;
  const timer = setTimeout(() => req.socket.destroy(), graceMs).unref();
  req.once("close", () => clearTimeout(timer));
}
