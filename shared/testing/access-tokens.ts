import { configureAccessTokens } from "#shared/domain/sessions/access-token.ts";

/** What the access tokens of the tests are signed with; importing this file sets it. */
export const testSecret = "the tests sign their tokens with this and nothing else does";

configureAccessTokens(testSecret);
