import jwt from "jsonwebtoken";
import { configureAccessTokens } from "#shared/domain/sessions/access-token.ts";

/** What the access tokens of the tests are signed with; importing this file sets it. */
export const testSecret = "the tests sign their tokens with this and nothing else does";

configureAccessTokens(testSecret);

/** An access token of somebody's session that holds for so long, from the real time; negative: no longer. */
export function accessTokenOf({ id, sessionId }: { id: string; sessionId: string }, seconds: number): string {
  const registered = { algorithm: "HS256", issuer: "hubbub", audience: "user", subject: id } as const;
  return jwt.sign({ sid: sessionId, typ: "access" }, testSecret, { ...registered, expiresIn: seconds });
}
