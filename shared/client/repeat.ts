import { HubbubError } from "./errors.ts";
import { backoff, sleep } from "./timing.ts";

/** Where the tokens of calls come from. */
export interface TokenSource {
  token(): Promise<string | null>;
  /** Returns a token instead of a rejected one; null if the session has ended. */
  renew(rejected: string): Promise<string | null>;
}

export interface Repetition {
  /** How many attempts follow the first. */
  readonly retries: number;
  /** Whether a call that had its effect already has no other the second time. */
  readonly isRepeatable: boolean;
}

/** What a server may ask a client to wait for, in the middle of a call. */
const waitMax = 20_000;
/** Another tab can have renewed the tokens to ones that have expired since. */
const renewalsMax = 2;

/**
 * Makes a call until it succeeds: with a new token if the server rejects the token, after a pause if it asks for one,
 * and again if the answer was lost and the call is repeatable.
 * @throws HubbubError the last error
 */
export async function repeated<T>(
  tokens: TokenSource,
  { retries, isRepeatable }: Repetition,
  attempt: (token: string | null) => Promise<T>,
): Promise<T> {
  let renewals = 0;
  for (let failures = 0; ; ) {
    const token = await tokens.token();
    try {
      return await attempt(token);
    } catch (error) {
      if (!(error instanceof HubbubError)) throw error;
      if (token && renewals < renewalsMax && rejectsToken(error)) {
        renewals += 1;
        if (await tokens.renew(token)) continue;
        throw error;
      }
      const wait = failures < retries ? waitBefore(error, failures, isRepeatable) : undefined;
      if (wait === undefined) throw error;
      failures += 1;
      await sleep(wait);
    }
  }
}

export const rejectsToken = ({ code }: { readonly code: string }): boolean =>
  code === "TOKEN_EXPIRED" || code === "UNAUTHENTICATED";

/** Returns whether it is unknown if the call had an effect, and the next attempt can succeed. */
export const isLost = ({ code, status }: HubbubError): boolean =>
  code === "TIMEOUT" || code === "ENGINE_UNAVAILABLE" || (code === "NETWORK_ERROR" && (status ?? 500) >= 500);

/** Milliseconds before the next attempt; undefined if there must be none. */
function waitBefore(error: HubbubError, failures: number, isRepeatable: boolean): number | undefined {
  const asked = error.retryAfter === undefined ? undefined : error.retryAfter * 1000;
  if (asked !== undefined && asked > waitMax) return undefined;
  // A call over the limit had no effect.
  const mayFollow = error.code === "RATE_LIMITED" || (isLost(error) && isRepeatable);
  return mayFollow ? (asked ?? backoff(failures)) : undefined;
}

/**
 * Makes a call again and again, until the server answers it or `isOver`. `isFinal`: which refusals no later attempt can
 * change.
 * @throws HubbubError what the server refuses
 */
export async function untilAnswered(
  call: () => Promise<void>,
  isOver: () => boolean,
  isFinal: (error: HubbubError) => boolean = () => true,
): Promise<void> {
  for (let attempt = 0; !isOver(); attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof HubbubError && !isLost(error) && error.code !== "RATE_LIMITED" && isFinal(error))
        throw error;
    }
    await sleep(backoff(attempt));
  }
}
