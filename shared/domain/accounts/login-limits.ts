import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { networkOf } from "#shared/kernel/network-of.ts";
import { makeRateLimiter, type RateLimiter, refuse, take } from "#shared/kernel/rate-limiter.ts";

/**
 * Guessing is limited before any hash is computed. What counts is wrong passwords in a row, by account and address
 * together: somebody who guesses locks himself out, never the owner, who is elsewhere. An account that is guessed at from
 * many addresses gives each of them fewer tries, but none that is new is shut out.
 */
const windowSeconds = 15 * 60;
const triesPerAddress = 10;
const triesPerAddressUnderAttack = 2;
const daySeconds = 24 * 60 * 60;
const failuresPerDay = 100;
const refusal = "Too many wrong passwords.";

interface LoginLimits {
  readonly byAddress: RateLimiter;
  readonly byAccount: RateLimiter;
}

let limits: LoginLimits | undefined = makeLimits();

/** Sets where tries are counted: Redis for all processes together, else memory; or, for load tests, nowhere. */
export function configureLoginLimits(options: { enabled: boolean; redis?: Redis }): void {
  limits = options.enabled ? makeLimits(options.redis) : undefined;
}

function makeLimits(redis?: Redis): LoginLimits {
  const make = (keyPrefix: string, points: number, duration: number) =>
    makeRateLimiter({ keyPrefix, points, duration }, redis);
  return {
    byAddress: make("login:address", triesPerAddress, windowSeconds),
    byAccount: make("login:account", failuresPerDay, daySeconds),
  };
}

/** A try that counts as a failure until another outcome is reported. One of these is called, once. */
export interface LoginTry {
  /** The password was wrong. */
  failed(): void;
  /** The password was right: failures before it are forgotten for this address. */
  succeeded(): Promise<void>;
  /** The password was never looked at. */
  takenBack(): Promise<void>;
}

const uncounted: LoginTry = {
  failed: () => undefined,
  succeeded: async () => undefined,
  takenBack: async () => undefined,
};

/** How many tries of an account and address are being decided in this process now. */
const undecided = new Map<string, number>();

function addUndecided(address: string, change: 1 | -1): void {
  const count = (undecided.get(address) ?? 0) + change;
  if (count === 0) undecided.delete(address);
  else undecided.set(address, count);
}

/**
 * Counts a try before it is made, so that many at once do not slip through together. `identifier` need not belong to
 * anybody: an unknown account is limited like a known one.
 * @throws RATE_LIMITED with the seconds to wait.
 */
export async function countLoginTry(identifier: string, ip: string): Promise<LoginTry> {
  if (!limits) return uncounted;
  const { byAddress, byAccount } = limits;
  const account = accountKey(identifier);
  const address = addressKey(account, ip);
  const tries = await take(byAddress, address, refusal).catch((error: unknown) => {
    // Some of those that were counted may turn out right; then a wait of 15 minutes would be wrong.
    throw undecided.has(address) ? new DomainError("RATE_LIMITED", refusal, { retryAfter: 1 }) : error;
  });
  const failures = await byAccount.penalty(account);
  if (failures.consumedPoints > failuresPerDay && tries.consumedPoints > triesPerAddressUnderAttack)
    refuse(tries, refusal);

  addUndecided(address, 1);
  return {
    failed: () => addUndecided(address, -1),
    succeeded: async () => {
      await Promise.all([byAddress.delete(address), byAccount.reward(account)]);
      addUndecided(address, -1);
    },
    takenBack: async () => {
      await Promise.all([byAddress.reward(address), byAccount.reward(account)]);
      addUndecided(address, -1);
    },
  };
}

/** Forgets wrong passwords tried from one address: whoever has a new one by the link in his mail need not wait. */
export async function forgetLoginTries(identifiers: readonly string[], ip: string): Promise<void> {
  await Promise.all(identifiers.map((identifier) => limits?.byAddress.delete(addressKey(accountKey(identifier), ip))));
}

const accountKey = (identifier: string): string =>
  createHash("sha256").update(identifier).digest("base64url").slice(0, 22);

const addressKey = (account: string, ip: string): string => `${account}:${networkOf(ip)}`;
