import Joi from "joi";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { revokeSessionsOf } from "#shared/domain/identity/sessions/revoke-sessions.ts";
import { lockIdentity } from "#shared/domain/identity/sign-in/identities.ts";
import { Identities } from "#shared/domain/identity/sign-in/identity.model.ts";
import { tokenRejected, verifySigned } from "#shared/domain/identity/sign-in/verify-id-token.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { logger } from "#shared/kernel/logger.ts";
import { beginDeletion } from "./request-deletion.ts";

/** What Apple says of a person, in the claim `events`, which is a string of JSON. */
interface AppleEvent {
  readonly type: string;
  /** The person's ID, as in their ID tokens. */
  readonly sub: string;
  /** Milliseconds since 1970. */
  readonly event_time: number;
}

const appleEvent = Joi.object<AppleEvent>({
  type: Joi.string().max(64).required(),
  sub: Joi.string().max(255).required(),
  event_time: Joi.number().integer().min(0).max(Date.parse("2100-01-01")).required(),
}).unknown(true);

interface Concerned {
  readonly user_id: string;
  readonly email: string | null;
}

/** What each kind of notice changes. Others are accepted and change nothing. */
const effects: Readonly<Record<string, (tx: Tx, identity: Concerned, subject: string) => Promise<unknown>>> = {
  // The person may give consent again, and then finds the account: its last way in stays.
  "consent-revoked": async (tx, { user_id }, subject) => {
    await endLogins(tx, user_id);
    if (await hasOtherWays(tx, user_id)) await forget(tx, subject);
    else await Identities.change(tx, { provider, subject }, { secret: null });
  },
  // It logs no one in again. An account without another way in is deleted, as if its owner had requested it.
  "account-delete": async (tx, { user_id }, subject) => {
    await endLogins(tx, user_id);
    const isLast = !(await hasOtherWays(tx, user_id));
    await forget(tx, subject);
    const { status } = (await User.lock(tx, { id: user_id }, ["status"]))!;
    if (isLast && status === "active") await beginDeletion(tx, user_id);
  },
  // Apple no longer forwards mail to this address.
  "email-disabled": async (tx, { user_id, email }, subject) => {
    await Identities.change(tx, { provider, subject }, { email_verified: false });
    if (email) await User.change(tx, { id: user_id, email }, { email_verified_at: null });
  },
  "email-enabled": async (tx, { user_id, email }, subject) => {
    await Identities.change(tx, { provider, subject }, { email_verified: true });
    await tx.query(
      `UPDATE users SET email_verified_at = now() WHERE id = $1 AND email = $2 AND email_verified_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM users o WHERE o.email = $2 AND o.email_verified_at IS NOT NULL)`,
      [user_id, email],
    );
  },
};
const provider = "apple";
/** Apple has written it both ways. */
const synonyms: Readonly<Record<string, string>> = { "account-deleted": "account-delete" };

/**
 * Takes a notice that Apple has signed: a person has withdrawn their consent, deleted their Apple Account, or disabled
 * or enabled the forwarding of mail. A notice that is older than the link it is about changes nothing, nor does a
 * repeated one.
 * @throws INVALID_CREDENTIALS, ENGINE_UNAVAILABLE when Apple's keys can't be read, NOT_FOUND when Apple isn't
 * configured
 */
export async function takeAppleNotice(payload: string): Promise<void> {
  const { events } = await verifySigned(provider, payload, ["iat", "jti", "events"]);
  const { type, sub: subject, event_time } = eventOf(events);
  const name = synonyms[type] ?? type;
  const effect = Object.hasOwn(effects, name) ? effects[name] : undefined;
  logger.info({ type }, effect ? "Apple sent a notice" : "Apple sent a notice of an unknown type");
  if (!effect) return;
  await inTransaction(async (tx) => {
    await lockIdentity(tx, { provider, subject });
    const identity = await Identities.read({ provider, subject }, ["user_id", "email", "linked_at", "last_notice_at"]);
    if (!identity || !isNews(identity, event_time)) return;
    await User.lock(tx, { id: identity.user_id }, ["id"]);
    await Identities.change(tx, { provider, subject }, { last_notice_at: new Date(event_time).toISOString() });
    await effect(tx, identity, subject);
  });
}

/** Apple repeats notices, and may change their order. */
const isNews = ({ linked_at, last_notice_at }: { linked_at: string; last_notice_at: string | null }, timeMs: number) =>
  timeMs >= Date.parse(linked_at) && (last_notice_at === null || timeMs > Date.parse(last_notice_at));

/** @throws INVALID_CREDENTIALS */
function eventOf(events: unknown): AppleEvent {
  try {
    const parsed: unknown = typeof events === "string" ? JSON.parse(events) : events;
    const { value, error } = appleEvent.required().validate(parsed);
    if (!error) return value;
  } catch {
    // The same answer as to other nonsense.
  }
  throw tokenRejected();
}

const endLogins = (tx: Tx, userId: string) =>
  revokeSessionsOf(tx, userId, "ended by the provider of the login", provider);

const forget = (tx: Tx, subject: string) => Identities.remove(tx, { provider, subject });

const hasOtherWays = async (tx: Tx, userId: string): Promise<boolean> =>
  (await tx.query("SELECT 1 FROM identities WHERE user_id = $1 AND provider <> $2 LIMIT 1", [userId, provider]))
    .length > 0;
