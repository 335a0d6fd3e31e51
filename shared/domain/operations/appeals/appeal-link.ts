import { timingSafeEqual } from "node:crypto";
import { queryOne } from "#shared/db/query.ts";
import { sanctionStatus } from "#shared/domain/identity/sanctions/sanctions.queries.ts";
import { keyedHash } from "#shared/domain/identity/sessions/keyed-hash.ts";
import { isId } from "#shared/kernel/ids.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";

/** The path of the page that files an appeal; without values, as Express matches it. */
export const appealPath = (id = ":id", signature = ":signature"): string => `/appeals/${id}/${signature}`;

const signatureOf = (id: string): Buffer => keyedHash("link of appeal", id);

/** Returns the link that files the appeal of a sanction. It works without a login, once, while the sanction holds. */
export const appealLink = (id: string): string =>
  publicAddress() + appealPath(id, signatureOf(id).toString("base64url"));

function isSigned(id: string, signature: string): boolean {
  const [given, expected] = [Buffer.from(signature, "base64url"), signatureOf(id)];
  return isId(id) && given.length === expected.length && timingSafeEqual(given, expected);
}

/** What a link is about. */
export interface Appealable {
  readonly id: string;
  readonly user_id: string;
  readonly reason: string;
  readonly until: string | null;
}

/** Returns the sanction that a link appeals; undefined if the link isn't ours, was used, or the sanction has ended. */
export async function findAppealable(id: string, signature: string): Promise<Appealable | undefined> {
  if (!isSigned(id, signature)) return undefined;
  return queryOne<Appealable>(
    `SELECT s.id, s.user_id, s.reason, s.until FROM sanctions s JOIN users u ON u.id = s.user_id
     WHERE s.id = $1 AND u.status <> 'deleted' AND ${sanctionStatus} = 'active'
       AND NOT EXISTS (SELECT 1 FROM appeals a WHERE a.sanction_id = s.id)`,
    [id],
  );
}
