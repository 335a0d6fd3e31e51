import type { EventPayloads } from "#shared/contracts/events.ts";
import { toUnavailableError } from "#shared/db/unavailable.ts";
import { DomainError, type Failure, type Result } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { docUrlOf } from "#shared/kernel/public-address.ts";

/** The reply to a client's event: the same envelope as REST. */
export type Envelope =
  | { success: true; data: unknown }
  | { success: false; error: { code: string; message: string; doc_url: string; details?: unknown } };

export function toEnvelope(result: Result<unknown>): Envelope {
  if (result.ok) return { success: true, data: result.value };
  const { details } = result;
  return { success: false, error: { ...errorOf(result), ...(details && { details }) } };
}

/** What clients see of an error, wherever it reaches them. */
export const errorOf = ({ code, message }: Failure) => ({ code, message, doc_url: docUrlOf(code) });

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
