import compression from "compression";
import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import type { Principal } from "#shared/contracts/principal.ts";
import { toUnavailableError } from "#shared/db/unavailable.ts";
import { chosenLanguage, languageForError } from "#shared/domain/identity/users/user-language.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { codesOfBodies } from "#shared/kernel/error-codes.ts";
import { type Language, languageAccepted } from "#shared/kernel/languages.ts";
import { logger } from "#shared/kernel/logger.ts";
import { inLanguage } from "#shared/kernel/translate.ts";
import type { Api } from "./api.ts";

/** What `res.locals` holds during a request. */
export interface Locals {
  requestId: string;
  /** The pattern of the route that took the request, for logs and metrics. */
  route?: string;
  caller?: Principal | null;
  /** The room that the path names. */
  roomId?: string;
  /** The code of the error that the request ended with. */
  code?: ErrorCode;
}

/** Minimum length of a response to compress, in characters, if the client accepts compression. */
const compressedFrom = 4096;
const compress = compression({ threshold: 0 });

/**
 * The error of a URL that doesn't exist, which it names: with the path that was meant, or the methods that the path
 * has.
 */
export function urlNotFound(
  { method, baseUrl, path }: Request,
  { meant, allowed }: { readonly meant?: string; readonly allowed?: string } = {},
): DomainError {
  const values = { method, path: (baseUrl + path).slice(0, 200) };
  if (allowed)
    return new DomainError("METHOD_NOT_ALLOWED", "{{method}} {{path}} doesn't exist. Allowed here: {{allowed}}.", {
      values: { ...values, allowed },
    });
  if (meant)
    return new DomainError("NOT_FOUND", "{{method}} {{path}} doesn't exist. Did you mean {{meant}}?", {
      values: { ...values, meant },
    });
  return new DomainError("NOT_FOUND", "{{method}} {{path}} doesn't exist.", { values });
}

/** Keeps responses out of caches. */
export const noStore: RequestHandler = (_req, res, next) => {
  res.setHeader("Cache-Control", "no-store");
  next();
};

/**
 * Sends JSON, which is never cached: it may contain tokens or be personal. Express's own `json` would hash every
 * response for an ETag that no client uses.
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
 * Returns the error handler of an API: the only place where an error becomes a response. Internal details are logged,
 * and never sent to the client.
 */
export const errorHandler =
  ({ envelope, credentials, speaks }: Pick<Api, "envelope" | "credentials" | "speaks">): ErrorRequestHandler =>
  async (thrown: unknown, req, res, next) => {
    const { requestId, route } = res.locals as Locals;
    const expected = toDomainError(thrown);
    if (!expected) logger.error({ err: thrown, requestId, method: req.method, route }, "request failed");
    if (res.headersSent) return next(thrown);

    const error = expected ?? new DomainError("INTERNAL_ERROR");
    (res.locals as Locals).code = error.code;
    const { status, body } = envelope.failure(speaks ? await spoken(error, res) : error, requestId);
    if (error.retryAfter !== undefined) res.setHeader("Retry-After", String(error.retryAfter));
    if (status === 401) res.setHeader("WWW-Authenticate", credentials.challenge);
    abandonBody(req);
    sendJson(res, status, body);
  };

/** Returns an error in the language of its reader. */
async function spoken(error: DomainError, res: Response): Promise<DomainError> {
  const language = await languageForError(...readerOf(res), error);
  markLanguage(res, language);
  return language === "en" ? error : DomainError.from(inLanguage(error.toFailure(), language));
}

/** Returns the language of a response: the one that the caller has chosen, or that of their request. */
export async function languageOf(res: Response): Promise<Language> {
  const [userId, asked] = readerOf(res);
  const language = (userId && (await chosenLanguage(userId))) || asked || "en";
  markLanguage(res, language);
  return language;
}

/** Returns the user who reads a response, and the language that their request asks for. */
function readerOf({ req, locals }: Response): [userId: string | undefined, asked: Language | undefined] {
  const { caller } = locals as Locals;
  return [caller?.kind === "user" ? caller.userId : undefined, languageAccepted(req.headers["accept-language"])];
}

function markLanguage(res: Response, language: Language): void {
  res.setHeader("Content-Language", language);
  res.vary("Accept-Language");
}

/** Time for a client to finish a body that is no longer read, milliseconds. */
const bodyGraceMs = 10_000;

/**
 * Abandons a body that was not read to its end. Node sends the response immediately, discards the rest of the body as
 * it arrives, and serves the next request on the connection. A body that doesn't end in time closes the connection.
 */
export function abandonBody(req: Request, graceMs = bodyGraceMs): void {
  if (req.complete) return;
  const timer = setTimeout(() => req.socket.destroy(), graceMs).unref();
  req.once("close", () => clearTimeout(timer));
}
