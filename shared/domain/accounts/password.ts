import { hash, verify } from "@node-rs/argon2";
import pLimit from "p-limit";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** OWASP's second choice for argon2id: about 12 ms and 19 MiB a hash. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const atOnce = 4;
const queued = 32;
const gate = pLimit(atOnce);

/** Belongs to no password; verifying against it costs what any verification costs. */
const nobodysHash =
  `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}` +
  `$${"A".repeat(22)}$${"A".repeat(43)}`;

/** Two keyboards may spell one password in two ways; both are the same password. */
const normalised = (plain: string): string => plain.normalize("NFC");

/**
 * Hashing is the dearest thing that a stranger can ask of this process, so at most 4 hashes run at once, 32 wait, and the
 * next is refused.
 */
function throughGate<T>(work: () => Promise<T>): Promise<T> {
  if (gate.activeCount + gate.pendingCount >= atOnce + queued)
    throw new DomainError("RATE_LIMITED", "Too many people are logging in at this moment.", { retryAfter: 1 });
  return gate(work);
}

/**
 * The argon2id hash of a password, as a PHC string.
 * @throws RATE_LIMITED when too many hashes wait.
 */
export async function hashPassword(plain: string): Promise<string> {
  return throughGate(() => hash(normalised(plain), cost));
}

/**
 * Whether `plain` is the password of `passwordHash`.
 * @throws RATE_LIMITED when too many hashes wait.
 */
export async function verifyPassword(passwordHash: string, plain: string): Promise<boolean> {
  return throughGate(() => verify(passwordHash, normalised(plain)));
}

/**
 * Spends what `verifyPassword` spends, for an account that does not exist: the time of an answer must not tell. Always
 * false.
 * @throws RATE_LIMITED when too many hashes wait.
 */
export async function verifyNobody(plain: string): Promise<boolean> {
  await verifyPassword(nobodysHash, plain);
  return false;
}
