import { ServerError } from "@colyseus/core";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type ErrorCode, errorCodes } from "#shared/kernel/error-codes.ts";

/**
 * Encodes an error in the form that survives Colyseus, which passes on only a status and a message, and between
 * processes only the message. The message therefore starts with the code.
 */
export const toServerError = ({ status, code, message }: DomainError): ServerError =>
  new ServerError(status, `${code}: ${message}`);

/** Decodes an error that `toServerError` encoded, wherever it was thrown; undefined for any other error. */
export function domainErrorIn(error: unknown): DomainError | undefined {
  const { message } = (error ?? {}) as { message?: unknown };
  const [, code, text] = /^([A-Z_]+): (.*)$/s.exec(typeof message === "string" ? message : "") ?? [];
  return code && Object.hasOwn(errorCodes, code) ? new DomainError(code as ErrorCode, text) : undefined;
}
