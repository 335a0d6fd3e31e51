import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { type AccountMail, enqueueAccountMail } from "./account-mail.ts";
import { type AddressKind, firstToAnswer } from "./addresses.ts";
import { countRequest } from "./message-limits.ts";

/** The caller who requests a message. */
interface Requester {
  readonly ip: string;
  /** The account of the access token that came with the call, if any. */
  readonly userId?: string | undefined;
}

/**
 * Requests a mail with a link to choose a new password. The result and the time it takes are the same for an address
 * (in lower case) without an account.
 * @throws RATE_LIMITED after too many requests for this address, or from this network
 */
export async function requestPasswordReset(email: string, { ip }: Requester): Promise<void> {
  await countRequest({ about: "reset_password", address: email, ip });
  const account = await accountAt("email", email);
  await request(account?.id, "reset_password");
}

/**
 * Requests a new code for an email address (in lower case) or a number: for the requester's account if it claims the
 * address, else for the account that answers to it. The result and the time it takes are the same without an account,
 * or when the address is verified.
 * @throws RATE_LIMITED after too many requests for this address, or from this network
 */
export async function requestVerification(
  target: { email: string } | { mobile: string },
  { ip, userId }: Requester,
): Promise<void> {
  const [kind, address] = "email" in target ? (["email", target.email] as const) : (["mobile", target.mobile] as const);
  await countRequest({ about: `verify_${kind}`, address, ip });
  const account = await accountAt(kind, address, userId);
  await request(account?.verified ? undefined : account?.id, `verify_${kind}`);
}

/**
 * Returns the account that has verified an address, else the preferred one that claims it, else the first to answer.
 */
function accountAt(kind: AddressKind, address: string, preferredId: string | null = null) {
  return queryOne<{ id: string; verified: boolean }>(
    `SELECT id, ${kind}_verified_at IS NOT NULL AS verified FROM users WHERE ${kind} = $1 AND status <> 'deleted'
     ORDER BY verified DESC, id IS NOT DISTINCT FROM $2::uuid DESC, ${firstToAnswer(kind)} LIMIT 1`,
    [address, preferredId],
  );
}

const request = (userId: string | undefined, about: AccountMail): Promise<void> =>
  inTransaction((tx) => enqueueAccountMail(tx, userId ?? null, about));
