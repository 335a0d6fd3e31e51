import { empty, listOf } from "#shared/contracts/fields.ts";
import { ageSignal, identity, signedIn } from "#shared/contracts/views.ts";
import { countLogin } from "#shared/domain/identity/accounts/count-login.ts";
import type { ClientDevice } from "#shared/domain/identity/sessions/open-session.ts";
import { signInAsGuest } from "#shared/domain/identity/sign-in/guest.ts";
import { listIdentities } from "#shared/domain/identity/sign-in/identities.ts";
import { linkIdentity } from "#shared/domain/identity/sign-in/link-identity.ts";
import { requestLoginCode, signInByPhone } from "#shared/domain/identity/sign-in/phone-code.ts";
import { setAgeSignal } from "#shared/domain/identity/sign-in/set-age-signal.ts";
import { countSignIn } from "#shared/domain/identity/sign-in/sign-in-limits.ts";
import { signInWithToken } from "#shared/domain/identity/sign-in/sign-in-with-token.ts";
import { unlinkIdentity } from "#shared/domain/identity/sign-in/unlink-identity.ts";
import { takeAppleNotice } from "#shared/domain/operations/deletion/take-apple-notice.ts";
import { languageAccepted } from "#shared/kernel/languages.ts";
import { type Call, type Route, routeOf } from "../../../http/route.ts";
import * as schemas from "./sign-in.schemas.ts";

const open = routeOf("Auth", "anyone");
const route = routeOf("Auth", "user");

const signInLimit = { points: 60, seconds: 60, by: "ip" } as const;
const registers =
  "Logs in the account with this identity, or registers one: `is_new`. An account with the same email address is never taken over; log in to it and link this identity. Logging in cancels a pending deletion of the account.";
const signInErrors = ["INVALID_CREDENTIALS", "ACCOUNT_SUSPENDED", "SANCTIONED", "USERNAME_TAKEN"] as const;

type SignInCall = Pick<
  Call<object, object, { device?: { id?: string; name?: string; platform?: string } }, unknown>,
  "body" | "ip" | "userAgent"
>;

/** Counts a login. Returns its device as the list of sessions shows it. @throws RATE_LIMITED */
async function enter({ body: { device }, ip, userAgent }: SignInCall): Promise<ClientDevice> {
  await countSignIn({ ip, deviceId: device?.id });
  const named = [device?.name, device?.platform].filter(Boolean).join(", ");
  return { ip, userAgent: named || userAgent, deviceId: device?.id };
}

/** Returns the profile of a new account, in the language of the request unless it names one. */
function profileOf<P extends object>(profile: P | undefined, accepted: string | undefined) {
  const language = languageAccepted(accepted);
  // English is what everyone gets who has chosen nothing.
  return { ...(language && language !== "en" && { language }), ...profile };
}

/** The providers with a path of their own. */
const named = { google: "Google", apple: "Apple", facebook: "Facebook" } as const;

const tokenRoutes = (): Route[] => [
  ...Object.entries(named).map(([provider, title]) =>
    open({
      id: `logInWith${title}`,
      method: "post",
      path: `/auth/${provider}`,
      summary: `Log in with ${title}`,
      description: `${registers} The token's signature, issuer, audience, times, and nonce are verified; each nonce logs in once.`,
      extension: true,
      rateLimit: signInLimit,
      body: schemas.tokenSignInBody,
      response: signedIn,
      errors: [...signInErrors, "NOT_FOUND", "ENGINE_UNAVAILABLE"],
      handler: async (call) =>
        countLogin(
          provider,
          signInWithToken(
            provider,
            call.body,
            profileOf(call.body.profile, call.headers["accept-language"]),
            await enter(call),
          ),
        ),
    }),
  ),
  open({
    id: "logInWithProvider",
    method: "post",
    path: "/auth/oidc/:provider",
    blocks: "none",
    summary: "Log in with OpenID",
    description: `${registers} \`provider\` is the name of a provider that the operator has configured; \`GET /config/public\` lists them.`,
    extension: true,
    rateLimit: signInLimit,
    params: schemas.providerParams,
    body: schemas.tokenSignInBody,
    response: signedIn,
    errors: [...signInErrors, "NOT_FOUND", "ENGINE_UNAVAILABLE", "CONTENT_BLOCKED"],
    handler: async (call) =>
      countLogin(
        call.params.provider,
        signInWithToken(
          call.params.provider,
          call.body,
          profileOf(call.body.profile, call.headers["accept-language"]),
          await enter(call),
        ),
      ),
  }),
];

const appleNotices = (): Route =>
  open({
    id: "receiveAppleNotice",
    method: "post",
    path: "/auth/apple/notifications",
    summary: "Receive Apple's notices",
    description:
      "Apple calls this when a person withdraws their consent, deletes their Apple Account, or disables the forwarding of mail. Enter its URL at Apple as the server-to-server notification endpoint. Notices are verified by Apple's keys.",
    extension: true,
    rateLimit: { points: 600, seconds: 60, by: "ip" },
    body: schemas.appleNoticeBody,
    response: empty,
    errors: ["INVALID_CREDENTIALS", "NOT_FOUND", "ENGINE_UNAVAILABLE"],
    handler: ({ body }) => takeAppleNotice(body.payload),
  });

const phoneRoutes = (): Route[] => [
  open({
    id: "requestPhoneCode",
    method: "post",
    path: "/auth/phone/code",
    summary: "Request a login code",
    description:
      "Sends a code of 6 digits by text message. The response and its timing are the same whether or not an account has this number. A number gets at most 10 codes per hour, 5 of them requested from one network, and 20 per day; text messages go only to the countries of the setting `text_countries`.",
    extension: true,
    rateLimit: { points: 10, seconds: 600, by: "ip" },
    body: schemas.phoneCodeBody,
    response: empty,
    handler: async ({ body, ip, headers }) => {
      await countSignIn({ ip, deviceId: body.device?.id });
      await requestLoginCode(body.mobile, { ip, language: languageAccepted(headers["accept-language"]) });
    },
  }),
  open({
    id: "logInByPhone",
    method: "post",
    path: "/auth/phone",
    summary: "Log in by phone",
    description:
      "Logs in the account that has verified this number, by the code that was sent to it. If none has, registers one: `is_new`. The error is the same for an incorrect, expired, or used code.",
    extension: true,
    rateLimit: { points: 30, seconds: 600, by: "ip" },
    body: schemas.phoneSignInBody,
    response: signedIn,
    errors: ["CODE_INVALID", "ACCOUNT_SUSPENDED", "USERNAME_TAKEN", "CONTENT_BLOCKED"],
    handler: async (call) =>
      countLogin(
        "phone",
        signInByPhone(call.body, profileOf(call.body.profile, call.headers["accept-language"]), await enter(call)),
      ),
  }),
  open({
    id: "logInAsGuest",
    method: "post",
    path: "/auth/guest",
    summary: "Log in as a guest",
    description:
      "Registers a guest, or logs one in again by their secret. Guests listen; what else they may do is in `guests` of `GET /config/public`. Everything else is refused with GUEST_NOT_ALLOWED until the guest links a way to log in. A guest who isn't seen for 30 days is erased.",
    extension: true,
    rateLimit: { points: 30, seconds: 600, by: "ip" },
    body: schemas.guestSignInBody,
    response: schemas.guestSignedIn,
    errors: ["INVALID_CREDENTIALS", "ACCOUNT_SUSPENDED", "GUEST_NOT_ALLOWED", "USERNAME_TAKEN", "CONTENT_BLOCKED"],
    handler: async (call) =>
      countLogin(
        "guest",
        signInAsGuest(
          call.body.guest_secret,
          profileOf(call.body.profile, call.headers["accept-language"]),
          await enter(call),
        ),
      ),
  }),
];

const identityRoutes = (): Route[] => [
  route({
    id: "listIdentities",
    method: "get",
    path: "/users/me/identities",
    summary: "List your identities",
    extension: true,
    response: listOf(identity),
    handler: ({ caller }) => listIdentities(caller.userId),
  }),
  route({
    id: "linkIdentity",
    method: "post",
    path: "/users/me/identities/:provider",
    blocks: "none",
    summary: "Link an identity",
    description:
      "Links an identity to your account: an ID token for `google`, `apple`, `facebook`, or an OpenID provider; a number and its code from `POST /auth/phone/code` for `phone`; a password for `password`. A guest becomes a user: refresh your tokens afterwards. Returns all your ways to log in.",
    extension: true,
    rateLimit: { points: 30, seconds: 600, by: "user" },
    params: schemas.providerParams,
    body: schemas.linkIdentityBody,
    response: listOf(identity),
    errors: ["IDENTITY_TAKEN", "CONFLICT", "INVALID_CREDENTIALS", "CODE_INVALID", "NOT_FOUND", "ENGINE_UNAVAILABLE"],
    handler: ({ caller, params, body, ip }) => linkIdentity(caller, params.provider, body, ip),
  }),
  route({
    id: "unlinkIdentity",
    method: "delete",
    path: "/users/me/identities/:provider",
    blocks: "none",
    summary: "Unlink an identity",
    description:
      "Removes a password, a number, or an identity of a provider from your account. The last one can't be removed. Sessions that it opened go on. Returns what is left.",
    extension: true,
    params: schemas.providerParams,
    response: listOf(identity),
    errors: ["NOT_FOUND", "LAST_IDENTITY"],
    handler: ({ caller, params }) => unlinkIdentity(caller, params.provider),
  }),
];

const ageRoute = (): Route =>
  route({
    id: "setAgeSignal",
    method: "put",
    path: "/users/me/age-signal",
    summary: "Set your age signal",
    description:
      "Stores what the app store says of your age: Apple's Declared Age Range, or Google's Play Age Signals. What people of an age band may do is in the settings `under_13_may`, `from_13_to_15_may`, and `from_16_to_17_may`. While consent is withdrawn, or the highest age is below the minimum age of your country, the account is frozen: all sessions end, and new ones can only send another signal, leave, or delete the account. It holds at once, for tokens from before, too.",
    extension: true,
    rateLimit: { points: 30, seconds: 3600, by: "user" },
    body: schemas.ageSignalBody,
    response: ageSignal,
    handler: ({ caller, body }) => setAgeSignal(caller, body),
  });

export const signInRoutes = (): Route[] => [
  ...tokenRoutes(),
  appleNotices(),
  ...phoneRoutes(),
  ...identityRoutes(),
  ageRoute(),
];
