import compression from "compression";
import type { ErrorRequestHandler, Response } from "express";
import { databaseRefusal } from "#shared/db/unavailable.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { logger } from "#shared/kernel/logger.ts";

/** What `res.locals` holds during a request. */
export interface Locals {
  requestId: string;
  /** The pattern of the route that took the request, for logs and metrics. */
  route?: string;
}

/** Characters from which an answer is compressed, if the client takes that. */
const compressedFrom = 4096;
const compress = compression({ threshold: 0 });

/** Answers with data. Written without Express's `json`, which hashes every answer for an ETag that nobody asks for. */
export function sendData(res: Response, status: number, data: unknown = {}): void {
  const text = JSON.stringify({ success: true, data });
  res.statusCode = status;
  res.setHeader("Content-Type", "application/json; charset=utf-8");
  if (text.length < compressedFrom) res.end(text);
  else compress(res.req, res, () => res.end(text));
}

/** What Express's own parts refuse, by status: the body parser a body, the file server a range. */
const refusalCodes: Record<number, ErrorCode> = {
  400: "MALFORMED_JSON",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
};

/** Makes a refusal of whatever was thrown; undefined for a fault of ours. */
export function toDomainError(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  if (error instanceof URIError) return new DomainError("NOT_FOUND");
  const { expose, status, message } = (error ?? {}) as { expose?: boolean; status?: number; message?: string };
  if (!expose || status === undefined || status >= 500) return databaseRefusal(error);
  const code = refusalCodes[status];
  return code ? new DomainError(code) : new DomainError("VALIDATION_ERROR", message);
}

/** The one place where an error becomes an answer. Internals go to the log, never to the client. */
export const errorHandler: ErrorRequestHandler = (error: unknown, req, res, next) => {
  const { requestId, route } = res.locals as Locals;
  const refusal = toDomainError(error);
  if (!refusal) logger.error({ err: error, requestId, method: req.method, route }, "request failed");
  if (res.headersSent) return next(error);
  const { status, code, message, details, retryAfter } = refusal ?? new DomainError("INTERNAL_ERROR");
  if (retryAfter !== undefined) res.setHeader("Retry-After", String(retryAfter));
  if (status === 401) res.setHeader("WWW-Authenticate", "Bearer");
  res.status(status).json({
    success: false,
    error: { code, message, ...(details && { details }), ...(status >= 500 && { request_id: requestId }) },
  });
};
