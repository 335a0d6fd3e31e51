import express, { type Request, type RequestHandler, type Response } from "express";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * Reads the body of a request. Runs after authentication and rate limits, so that only the bodies of accepted callers
 * are read.
 */
export type BodyReader<Body = unknown> = (req: Request, res: Response) => Promise<Body>;

/** The kinds of bodies that an API can accept, by their content types. */
const contentTypes = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
} as const;

type BodyKind = keyof typeof contentTypes;

/** Reads bodies of these content types. Examples use the first one. */
export interface BodyParser {
  readonly contentTypes: readonly string[];
  /** @throws MALFORMED_JSON, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE */
  readonly read: BodyReader;
}

/**
 * Combines Express's body parsers, one for each kind of body. Rejects bodies with another content type, or without one.
 */
export function parseBy(parsers: { readonly [Kind in BodyKind]?: RequestHandler }): BodyParser {
  const accepted = (Object.keys(parsers) as BodyKind[]).map((kind) => contentTypes[kind]);
  const values = { types: accepted.join("` or `") };

  const read: BodyReader = async (req, res) => {
    try {
      for (const parse of Object.values(parsers)) await run(parse, req, res);
    } catch (error) {
      if ((error as { status?: number }).status !== 415) throw error;
      throw new DomainError(
        "UNSUPPORTED_MEDIA_TYPE",
        "The content type or encoding isn't supported. Send `Content-Type: {{types}}`.",
        { values },
      );
    }
    if (req.body !== undefined) return req.body;
    if (!hasBody(req)) return {};
    const isMissing = req.headers["content-type"] === undefined;
    throw new DomainError(
      "UNSUPPORTED_MEDIA_TYPE",
      isMissing
        ? "The body has no content type. Send `Content-Type: {{types}}`."
        : "The content type isn't supported. Send `Content-Type: {{types}}`.",
      { values },
    );
  };
  return { contentTypes: accepted, read };
}

const run = (parse: RequestHandler, req: Request, res: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    parse(req, res, (error?: unknown) => (error ? reject(error) : resolve()));
  });

function hasBody({ headers }: Request): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

const limit = "64kb";

const jsonUpTo = (limit: string): BodyParser => parseBy({ json: express.json({ limit, strict: true }) });

/** Reads JSON. */
export const jsonBodies = jsonUpTo(limit);

/** Reads larger JSON, for the `readBody` of a route. */
export const jsonReader = (limit: string): BodyReader => jsonUpTo(limit).read;

/** Reads a CSV file. @throws UNSUPPORTED_MEDIA_TYPE for another content type */
export const csvReader = (limit: string): BodyReader<Buffer> => {
  const parse = express.raw({ type: "text/csv", limit, inflate: false });
  return async (req, res) => {
    await run(parse, req, res);
    if (Buffer.isBuffer(req.body)) return req.body;
    throw new DomainError("UNSUPPORTED_MEDIA_TYPE", "Send the file with `Content-Type: text/csv`.");
  };
};

const asBytes = express.raw({ type: () => true, limit, inflate: false });

/** Reads the raw body of any content type. A missing body is an empty buffer. */
export const readBytes: BodyReader<Buffer> = async (req, res) => {
  await run(asBytes, req, res);
  return Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
};
