import { hash, verify } from "@node-rs/argon2";
import pLimit from "p-limit";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** OWASP's second choice for argon2id: about 12 ms and 19 MiB a hash. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** How many more wait for their turn in each gate. */
const queued = 32;

/**
 * Hashing is the most expensive thing that a stranger can ask of this process. Each use passes a gate of its own, so
 * that room passwords and registrations never crowd out logins, and users never crowd out administrators.
 */
const gates = { login: pLimit(3), admin: pLimit(1), other: pLimit(1) } as const;
type HashUse = keyof typeof gates;

/** The hash of no password; verifying against it costs what any verification costs. */
const dummyHash =
  `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}` +
  `$${"A".repeat(22)}$${"A".repeat(43)}`;

/** Two keyboards may encode one password in two ways; both are the same password. */
const normalized = (plain: string): string => plain.normalize("NFC");

function throughGate<T>(use: HashUse, work: () => Promise<T>): Promise<T> {
  const gate = gates[use];
  if (gate.activeCount + gate.pendingCount >= gate.concurrency + queued)
    throw new DomainError("RATE_LIMITED", "The server is checking too many passwords. Try again in a second.", {
      retryAfter: 1,
    });
  return gate(work);
}

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
 * Spends what `verifyPassword` spends, for an account that does not exist: the time of an answer must not tell. Always
 * returns false.
 * @throws RATE_LIMITED when too many hashes wait.
 */
export async function verifyDummy(use: HashUse, plain: string): Promise<boolean> {
  await verifyPassword(use, dummyHash, plain);
  return false;
}
