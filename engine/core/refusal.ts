import { ServerError } from "@colyseus/core";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type ErrorCode, errorCodes } from "#shared/kernel/error-codes.ts";

/**
 * A refusal in the form that survives Colyseus: of what is thrown it hands on a number and a message, and between
 * processes the message alone. So the code stands in front of it.
 */
export const toServerError = ({ status, code, message }: DomainError): ServerError =>
  new ServerError(status, `${code}: ${message}`);

/** The refusal that `toServerError` has made, wherever it was thrown; undefined for any other error. */
export function refusalIn(error: unknown): DomainError | undefined {
  const { message } = (error ?? {}) as { message?: unknown };
  const [, code, text] = /^([A-Z_]+): (.*)$/s.exec(typeof message === "string" ? message : "") ?? [];
  return code && Object.hasOwn(errorCodes, code) ? new DomainError(code as ErrorCode, text) : undefined;
}
