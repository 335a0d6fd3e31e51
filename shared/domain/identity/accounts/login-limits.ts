import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { networkOf } from "#shared/kernel/network-of.ts";
import { consume, makeRateLimiter, type RateLimiter, throwRateLimited } from "#shared/kernel/rate-limiter.ts";

/**
 * Guesses are limited before any hash is computed. Consecutive wrong passwords are counted by account and address
 * together, so that an attacker locks themselves out, never the owner at another address. When an account is attacked
 * from many addresses, each gets fewer tries, but a new address is never locked out.
 */
const windowSeconds = 15 * 60;
const triesPerAddress = 10;
const triesPerAddressUnderAttack = 2;
const daySeconds = 24 * 60 * 60;
const failuresPerDay = 100;
const tooManyTries = "Too many incorrect passwords. Try again later.";

interface LoginLimits {
  readonly byAddress: RateLimiter;
  readonly byAccount: RateLimiter;
}

let limits: LoginLimits | undefined = makeLimits();

/** Sets where tries are counted: in Redis for all processes, else in memory; for load tests, nowhere. */
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

/** A try counts as a failure until another outcome is reported. Exactly one of these is called, once. */
export interface LoginTry {
  /** The password was wrong. */
  failed(): void;
  /** The password was right: earlier failures from this address are cleared. */
  succeeded(): Promise<void>;
  /** The password was not checked. */
  withdrawn(): Promise<void>;
}

const uncounted: LoginTry = {
  failed: () => undefined,
  succeeded: async () => undefined,
  withdrawn: async () => undefined,
};

/** How many tries of an account and address this process is checking now. */
const undecided = new Map<string, number>();

function addUndecided(address: string, change: 1 | -1): void {
  const count = (undecided.get(address) ?? 0) + change;
  if (count === 0) undecided.delete(address);
  else undecided.set(address, count);
}

/**
 * Counts a try before it is made, so that concurrent tries cannot slip through. An unknown `identifier` is limited like
 * a known one.
 * @throws RATE_LIMITED with the seconds to wait
 */
export async function countLoginTry(identifier: string, ip: string): Promise<LoginTry> {
  if (!limits) return uncounted;
  const { byAddress, byAccount } = limits;
  const account = accountKey(identifier);
  const address = addressKey(account, ip);

  const wasUndecided = undecided.has(address);
  const tries = await consume(byAddress, address, tooManyTries).catch((error: unknown) => {
    // A counted try may succeed or be withdrawn, even before its count arrives here: 15 minutes would be wrong.
    throw wasUndecided || undecided.has(address)
      ? new DomainError("RATE_LIMITED", tooManyTries, { retryAfter: 1 })
      : error;
  });
  const failures = await byAccount.penalty(account);
  if (failures.consumedPoints > failuresPerDay && tries.consumedPoints > triesPerAddressUnderAttack)
    throwRateLimited(tries, tooManyTries);

  addUndecided(address, 1);
  return {
    failed: () => addUndecided(address, -1),
    succeeded: async () => {
      await Promise.all([byAddress.delete(address), byAccount.reward(account)]);
      addUndecided(address, -1);
    },
    withdrawn: async () => {
      await Promise.all([byAddress.reward(address), byAccount.reward(account)]);
      addUndecided(address, -1);
    },
  };
}

/** Clears the failures from one address: after a password reset, its owner need not wait. */
export async function forgetLoginTries(identifiers: readonly string[], ip: string): Promise<void> {
  await Promise.all(identifiers.map((identifier) => limits?.byAddress.delete(addressKey(accountKey(identifier), ip))));
}

const accountKey = (identifier: string): string =>
  createHash("sha256").update(identifier).digest("base64url").slice(0, 22);

const addressKey = (account: string, ip: string): string => `${account}:${networkOf(ip)}`;
