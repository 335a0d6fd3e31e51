import { AssertionError } from "chai";
import { clientEvents, errorCodesOfEvent, isClientEvent } from "#shared/contracts/client-events.ts";
import { type ServerEvent, serverEvents } from "#shared/contracts/events.ts";

const isServerEvent = (event: string): event is ServerEvent => Object.hasOwn(serverEvents, event);

/**
 * Checks a server event against the table of events, so that every test with a client also verifies the documents: the
 * event is in the table, and its payload has exactly the fields of its schema.
 * @throws AssertionError
 */
export function checkPush(event: string, payload: unknown): void {
  if (!isServerEvent(event)) throw new AssertionError(`${event} was pushed, which no table names.`);
  const { error } = serverEvents[event].payload.required().validate(payload, { convert: false, abortEarly: false });
  if (error) throw new AssertionError(`${event} was pushed with what its table does not allow: ${error.message}`);
}

/**
 * Checks an acknowledgement against the entry of its event: the envelope, `data` against `reply`, and that the code is
 * listed.
 * @throws AssertionError
 */
export function checkAcknowledgement(event: string, answer: unknown): void {
  const { success, data, error, ...others } = (answer ?? {}) as Record<string, unknown>;
  const members = success === true ? { data } : { error };
  const whole = { success, ...members };
  if (Object.keys(others).length > 0 || !isSame(Object.keys(answer ?? {}), Object.keys(whole)))
    throw new AssertionError(`${event} was answered with ${JSON.stringify(answer)}, which is no envelope.`);
  if (success === true) checkReply(event, data);
  else checkFailure(event, error);
}

const isSame = (one: readonly string[], other: readonly string[]) => one.toSorted().join() === other.toSorted().join();

function checkReply(event: string, data: unknown): void {
  if (!isClientEvent(event)) throw new AssertionError(`${event} was done, which no table names.`);
  const invalid = clientEvents[event].reply.required().validate(data, { convert: false, abortEarly: false }).error;
  if (invalid) throw new AssertionError(`${event} was answered with what its table does not allow: ${invalid.message}`);
  if (event === "room:sync")
    for (const missed of (data as { events?: { event: string; payload: unknown }[] }).events ?? [])
      checkPush(missed.event, missed.payload);
}

function checkFailure(event: string, error: unknown): void {
  const { code, message } = (error ?? {}) as { code?: string; message?: unknown };
  const codes: readonly string[] = isClientEvent(event)
    ? errorCodesOfEvent(event)
    : ["VALIDATION_ERROR", "RATE_LIMITED"];
  if (!code || !codes.includes(code) || typeof message !== "string")
    throw new AssertionError(`${event} was refused with ${JSON.stringify(error)}, which its entry does not list.`);
}
