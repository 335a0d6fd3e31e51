import jwt from "jsonwebtoken";
import { configureAccessTokens } from "#shared/domain/identity/sessions/access-token.ts";
import { configureAdminTokens } from "#shared/domain/operations/admins/admin-token.ts";
import { configureSealing } from "#shared/kernel/seal.ts";

/** The signing key of access tokens in tests. Importing this file configures it. */
export const testSecret = "the tests sign their tokens with this and nothing else does";

/** The signing key of admin tokens in tests. Importing this file configures it. */
export const adminTestSecret = "the tests sign the tokens of administrators with this one";

/** The encryption key of stored secrets in tests. Importing this file configures it. */
export const encryptionTestKey = "the tests encrypt what they store with this key";

configureAccessTokens(testSecret);
configureAdminTokens(adminTestSecret);
configureSealing({ secrets: [encryptionTestKey], adminSecret: adminTestSecret });

/**
 * Returns an access token of a session that expires after this time, counted from real time. Negative: already expired.
 */
export function accessTokenOf({ id, sessionId }: { id: string; sessionId: string }, seconds: number): string {
  const registered = { algorithm: "HS256", issuer: "hubbub", audience: "user", subject: id } as const;
  return jwt.sign({ sid: sessionId, typ: "access" }, testSecret, { ...registered, expiresIn: seconds });
}
