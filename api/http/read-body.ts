import express, { type Request, type RequestHandler, type Response } from "express";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** Reads the body of a request. Runs after authentication and rate limits, so that only the bodies of accepted callers are read. */
export type BodyReader<Body = unknown> = (req: Request, res: Response) => Promise<Body>;

/** Runs Express's body parsers, of which the first that knows the content type parses the body; resolves with the body. */
export const parseBy =
  (...parsers: readonly RequestHandler[]): BodyReader =>
  async (req, res) => {
    for (const parse of parsers)
      await new Promise<void>((resolve, reject) => {
        parse(req, res, (error?: unknown) => (error ? reject(error) : resolve()));
      });
    return parsedBody(req);
  };

/** The parsed body; a body that no parser took because of its type is refused instead of being taken for none. */
function parsedBody(req: Request): unknown {
  if (req.body !== undefined) return req.body;
  const length = req.headers["content-length"];
  const hasBody = req.headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
  if (hasBody && req.headers["content-type"] !== undefined) throw new DomainError("UNSUPPORTED_MEDIA_TYPE");
  return {};
}

const limit = "64kb";

/** Reads JSON. */
export const readJson = parseBy(express.json({ limit, strict: true }));

const asBytes = parseBy(express.raw({ type: () => true, limit, inflate: false }));

/** Reads the body as it came, of whatever content type; no body is no bytes. */
export const readBytes: BodyReader<Buffer> = async (req, res) => {
  const body = await asBytes(req, res);
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
};
