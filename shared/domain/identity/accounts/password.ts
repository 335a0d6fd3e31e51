import { setTimeout as pause } from "node:timers/promises";
import { hash, verify } from "@node-rs/argon2";
import pLimit from "p-limit";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** OWASP's second choice for argon2id: about 12 ms and 19 MiB a hash. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The maximum number of calls that wait in each gate. */
const queued = 32;

/**
 * Hashing is the most expensive work that an anonymous caller can cause. Each use has its own queue, a gate, so
 * that room passwords and registrations never crowd out logins, and users never crowd out administrators.
 */
const gates = { login: pLimit(2), admin: pLimit(1), other: pLimit(1) } as const;
type HashUse = keyof typeof gates;

/** A hash that no password matches; verifying against it takes as long as any verification. */
const dummyHash =
  `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}` +
  `$${"A".repeat(22)}$${"A".repeat(43)}`;

/** Two keyboards may encode one password differently, so it is normalized. */
const normalized = (plain: string): string => plain.normalize("NFC");

/** How long a refusal is held back, milliseconds, and how many are at most: who repeats at once costs little so. */
const [heldMs, heldMax] = [1000, 1000];
let held = 0;

const isFull = (use: HashUse): boolean =>
  gates[use].activeCount + gates[use].pendingCount >= gates[use].concurrency + queued;

async function refuse(): Promise<never> {
  if (held < heldMax) {
    held += 1;
    await pause(heldMs, undefined, { ref: false });
    held -= 1;
  }
  throw new DomainError("RATE_LIMITED", "The server is checking too many passwords. Try again in a second.", {
    retryAfter: 1,
  });
}

/**
 * Call it before other work for a password.
 * @throws RATE_LIMITED, a second later, when too many hashes wait.
 */
export async function assertGateOpen(use: HashUse): Promise<void> {
  if (isFull(use)) await refuse();
}

/** Doesn't wait before it takes a place: of a burst, only as many as there are places get one. */
const throughGate = <T>(use: HashUse, work: () => Promise<T>): Promise<T> =>
  isFull(use) ? refuse() : gates[use](work);

/**
 * Returns the argon2id hash of a password, as a PHC string.
 * @throws RATE_LIMITED when too many hashes wait.
 */
export async function hashPassword(plain: string, use: HashUse = "other"): Promise<string> {
  return throughGate(use, () => hash(normalized(plain), cost));
}

/**
 * Returns whether `plain` is the password of `passwordHash`.
 * @throws RATE_LIMITED when too many hashes wait.
 */
export async function verifyPassword(use: HashUse, passwordHash: string, plain: string): Promise<boolean> {
  return throughGate(use, () => verify(passwordHash, normalized(plain)));
}

/**
 * Takes as long as `verifyPassword`, for an account that doesn't exist, so that response times reveal nothing. Always
 * returns false.
 * @throws RATE_LIMITED when too many hashes wait.
 */
export async function verifyDummy(use: HashUse, plain: string): Promise<boolean> {
  await verifyPassword(use, dummyHash, plain);
  return false;
}
