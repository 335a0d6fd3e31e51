import type { EventPayloads } from "#shared/contracts/events.ts";
import { toUnavailableError } from "#shared/db/unavailable.ts";
import { languageForError } from "#shared/domain/identity/users/user-language.ts";
import { DomainError, type Failure, type Result } from "#shared/kernel/domain-error.ts";
import { entryOfCode } from "#shared/kernel/error-codes.ts";
import { type Language, languageAccepted } from "#shared/kernel/languages.ts";
import { logger } from "#shared/kernel/logger.ts";
import { docUrlOf } from "#shared/kernel/public-address.ts";
import { inLanguage } from "#shared/kernel/translate.ts";

/** The reply to a client's event: the same envelope as REST. */
export type Acknowledgement =
  | { success: true; data: unknown }
  | { success: false; error: { code: string; message: string; doc_url: string; details?: unknown } };

export function toEnvelope(result: Result<unknown>): Acknowledgement {
  if (result.ok) return { success: true, data: result.value };
  const { details } = result;
  return { success: false, error: { ...errorOf(result), ...(details && { details }) } };
}

/** Returns the failure of a connection's event in the language of its user. */
export const spoken = async (
  failure: Failure,
  userId: string | undefined,
  asked: Language | undefined,
): Promise<Failure> => inLanguage(failure, await languageForError(userId, asked, entryOfCode(failure.code)));

/** What clients see of an error, wherever it reaches them. */
export const errorOf = ({ code, message }: Failure) => ({ code, message, doc_url: docUrlOf(code) });

/** Returns the language that a handshake asks for: what it says itself, or its header, which browsers send. */
export const languageAsked = (language: unknown, header: string | undefined): Language | undefined =>
  languageAccepted(typeof language === "string" ? language : header);

/** The payload of the event `error`, for an event that was sent without an acknowledgement. */
export const errorEventOf = (event: string, failure: Failure): EventPayloads["error"] => ({
  event: event.slice(0, 64),
  ...errorOf(failure),
});

/** Converts what was thrown to a failure. Unexpected errors are logged, and their message is not shown. */
export function toFailure(error: unknown, where: string): Failure {
  const known = error instanceof DomainError ? error : toUnavailableError(error);
  if (known) return known.toFailure();
  logger.error({ err: error }, `${where} failed`);
  return new DomainError("INTERNAL_ERROR").toFailure();
}
