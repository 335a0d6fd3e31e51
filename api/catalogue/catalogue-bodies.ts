import express, { type RequestHandler } from "express";
import multer from "multer";
import { reservedNames } from "#shared/contracts/catalogue-fields.ts";
import { invalidForm, isNotAccepted } from "#shared/domain/catalogue/orders/form.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type BodyParser, parseBy } from "../http/read-body.ts";

const limit = "64kb";
const fieldsMax = 60;

const parseMultipart = multer({
  limits: { fields: fieldsMax, parts: fieldsMax, fieldSize: 4096, fieldNameSize: 100, headerPairs: 20 },
}).none();

/** Reads the fields of a multipart form. A file is refused, and nothing is written to disk. */
const multipart: RequestHandler = (req, res, next) => {
  if (!req.is("multipart/form-data")) return next();
  parseMultipart(req, res, (error?: unknown) => next(error && toDomainError(error)));
};

/** Without an error of its own, a broken form would be a fault of ours. */
function toDomainError(error: unknown): DomainError {
  const { code, field, message } = error as { code?: string; field?: string; message?: string };
  if (code === "LIMIT_UNEXPECTED_FILE")
    return invalidForm([{ field: field ?? "", message: "Files are not accepted." }]);
  if (code?.startsWith("LIMIT_")) return new DomainError("PAYLOAD_TOO_LARGE", message);
  return new DomainError("MALFORMED_JSON", "The body isn't a valid multipart form.");
}

const forms = parseBy({
  json: express.json({ limit, strict: true }),
  multipart,
  form: express.urlencoded({ extended: false, limit, parameterLimit: fieldsMax }),
});

/**
 * Reads forms, as the contract's examples send them, and JSON. A field that is sent twice is a list, which no field
 * takes.
 */
export const catalogueBodies: BodyParser = {
  contentTypes: forms.contentTypes,
  read: async (req, res) => {
    const body: unknown = await forms.read(req, res);
    if (body === null || typeof body !== "object" || Array.isArray(body)) return body;
    const names = Object.keys(body);
    const refused = names.filter((name) => reservedNames.includes(name));
    if (refused.length > 0) throw invalidForm(refused.map((field) => ({ field, message: isNotAccepted(field) })));
    return { ...body };
  },
};
