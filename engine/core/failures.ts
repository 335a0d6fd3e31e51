import { toUnavailableError } from "#shared/db/unavailable.ts";
import { DomainError, type Result } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";

/** Thrown by an actor that finds that it no longer owns its room. */
export const retiredError = () =>
  new DomainError("ENGINE_UNAVAILABLE", "This room is moving to another server. Try again.", { retryAfter: 1 });

/** Returns whether the action certainly had no effect. After a server error, that is unknown. */
export const isRefused = (result: Result<unknown>): boolean =>
  !result.ok && result.code !== "ENGINE_UNAVAILABLE" && result.code !== "INTERNAL_ERROR";

/** Logs why an action failed, and returns the error that its caller gets. */
export function toActionError(error: unknown, which: { action: string; roomId: string }): DomainError {
  const unavailable = toUnavailableError(error);
  if (unavailable) {
    logger.warn({ err: error, ...which }, "action could not be written");
    return unavailable;
  }
  logger.error({ err: error, ...which }, "action failed");
  return new DomainError("INTERNAL_ERROR");
}

/** Runs a step that only shows what has happened: a failure is logged and changes nothing. */
export function attempt(roomId: string, step: () => void): void {
  try {
    step();
  } catch (error) {
    logger.error({ err: error, roomId }, "what an action has changed was not shown");
  }
}
