import { locks } from "#shared/db/locks.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * Owners of email addresses and mobile numbers. Registering with an address claims it, but a claim proves nothing:
 *
 * - An address belongs to the account that has verified it. There is one at most; a partial unique index guards it.
 *   Registering with it fails. Other accounts' claims to it have lapsed: they neither verify it nor get messages there.
 * - An address that no account has verified is reserved for `reservedMinutes` after the first registration with it, so
 *   that a form sent twice makes one account. From then on anyone may register with it, so that claiming a foreign
 *   address never keeps its owner out. Each account gets a code of its own, which names it.
 * - Until one of them verifies it, the account that claimed it first answers to it: it logs in by it, and reset links
 *   are for it. So later claims take nothing from an account that has not verified its address.
 */
export type AddressKind = "email" | "mobile";

export const reservedMinutes = 60;

/** SQL: orders the accounts that claim the same address; the first one answers to it. */
export const firstToAnswer = (kind: AddressKind): string => `(${kind}_verified_at IS NULL), created_at, id`;

/** SQL: whether the address of the users row `u` is another account's. */
export const hasLapsed = (kind: AddressKind): string =>
  `EXISTS (SELECT 1 FROM users o WHERE o.${kind} = u.${kind} AND o.${kind}_verified_at IS NOT NULL AND o.id <> u.id)`;

interface Addresses {
  readonly username: string;
  readonly email: string;
  readonly mobile: string | null;
}

const isTaken = (kind: AddressKind, value: string): string =>
  `coalesce((SELECT bool_or(${kind}_verified_at IS NOT NULL) OR min(created_at) > $4 FROM users WHERE ${kind} = ${value}),
     false)`;

const takenQuery = `SELECT EXISTS (SELECT 1 FROM users WHERE username = $1) AS username,
  ${isTaken("email", "$2")} AS email, ${isTaken("mobile", "$3")} AS mobile`;

/**
 * Rejects names and addresses that are taken; reliably only in a transaction, where it locks them until the commit.
 * @throws USERNAME_TAKEN, EMAIL_TAKEN, MOBILE_TAKEN
 */
export async function assertFree(query: Tx["query"], { username, email, mobile }: Addresses): Promise<void> {
  const reservedSince = new Date(clock.now() - minutesMs(reservedMinutes)).toISOString();
  const [taken] = await query<Record<"username" | AddressKind, boolean>>(takenQuery, [
    username,
    email,
    mobile,
    reservedSince,
  ]);
  if (taken?.username) throw new DomainError("USERNAME_TAKEN");
  if (taken?.email) throw new DomainError("EMAIL_TAKEN");
  if (taken?.mobile) throw new DomainError("MOBILE_TAKEN");
}

/** Step: serialises registrations with the same address. */
export async function lockAddresses(
  tx: Tx,
  { email, mobile }: Readonly<Record<AddressKind, string | null>>,
): Promise<void> {
  for (const address of [email, mobile])
    if (address !== null) await tx.query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [locks.addresses, address]);
}
