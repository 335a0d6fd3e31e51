import Joi from "joi";
import type { InferFields } from "#shared/contracts/fields.ts";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import { about, choice, commaList, passing } from "./environment-fields.ts";
import { privateKeyOf } from "./environment-sign-in.ts";

const apiVariables = "requires the other APPLE_STORE variables with the key";

/** Environment variables of the stores that apps buy at. */
export const storeVariables = {
  APPLE_BUNDLE_ID: about(Joi.string().pattern(/^[A-Za-z0-9.-]{1,155}$/), {
    purpose:
      "Your app at Apple's App Store. With it and APPLE_ROOT_CERTIFICATES, apps can buy there. Enter PUBLIC_URL/api/v1/payments/webhook/apple in App Store Connect for its notifications (version 2). Production accepts only production's purchases, and everything else only the sandbox's.",
    wanted: "the bundle ID; requires APPLE_ROOT_CERTIFICATES",
    example: "com.example.app",
  }),
  APPLE_APP_ID: about(
    Joi.number()
      .integer()
      .min(1)
      .when("APPLE_BUNDLE_ID", {
        is: Joi.exist(),
        // biome-ignore lint/suspicious/noThenProperty: Joi's name.
        then: Joi.when("NODE_ENV", { not: "production", otherwise: Joi.required() }),
      }),
    {
      purpose: "Its number in App Store Connect (Apple ID). Required in production with APPLE_BUNDLE_ID.",
      wanted: "a whole number",
      example: "1234567890",
    },
  ),
  APPLE_ROOT_CERTIFICATES: about(
    commaList((path) => path !== ""),
    {
      purpose:
        "Apple's root certificates, which what its store signs must lead to: the files of Apple Root CA - G2 and G3 from https://www.apple.com/certificateauthority/.",
      wanted: "paths of files, PEM or DER, separated by commas; requires APPLE_BUNDLE_ID",
      example: "/etc/hubbub/AppleRootCA-G2.cer,/etc/hubbub/AppleRootCA-G3.cer",
    },
  ),
  APPLE_ONLINE_CHECKS: about(choice("on", "off"), {
    purpose:
      "Whether Apple is asked if it has revoked the certificates that signed a purchase. Default: on in production, otherwise off.",
    wanted: "on or off",
    example: "on",
  }),
  APPLE_STORE_ISSUER_ID: about(Joi.string().guid(), {
    purpose:
      "Issuer of the In-App Purchase key in App Store Connect. With it, APPLE_STORE_KEY_ID, and APPLE_STORE_PRIVATE_KEY, the service reconciles purchases with Apple's books, and answers Apple when a buyer asks for a refund: set them only if your terms have users agree to that.",
    wanted: `a UUID; ${apiVariables}`,
    example: "57246542-96fe-1a63-e053-0824d011072a",
  }),
  APPLE_STORE_KEY_ID: about(Joi.string().pattern(/^[A-Z0-9]{10}$/), {
    purpose: "ID of the In-App Purchase key, which isn't the key for Sign in with Apple.",
    wanted: `10 capital letters and digits; ${apiVariables}`,
    example: "EF78GH90IJ",
  }),
  APPLE_STORE_PRIVATE_KEY: about(
    passing((text) => privateKeyOf(text) !== undefined),
    {
      purpose: "That key.",
      wanted: `contents of the .p8 file, as plain text or in base64; ${apiVariables}`,
      example: "output of: base64 -w0 SubscriptionKey_EF78GH90IJ.p8",
      secrecy: "secret",
    },
  ),
  APPLE_STORE_BASE_URL: about(passing(isSecureAddress), {
    purpose: "Base URL of Apple's App Store Server API. Default: Apple's, of production or of the sandbox.",
    wanted: "an https URL, or an http URL on this machine",
    example: "https://api.storekit.apple.com",
  }),
};

/** Returns the stores that apps buy at, by the variables. */
export function storesOf(read: InferFields<typeof storeVariables> & { readonly NODE_ENV: string }) {
  const { APPLE_BUNDLE_ID: bundleId, APPLE_ROOT_CERTIFICATES: rootCertificates, APPLE_APP_ID: appId } = read;
  const { APPLE_STORE_ISSUER_ID: issuerId, APPLE_STORE_KEY_ID: keyId, APPLE_STORE_PRIVATE_KEY: key } = read;
  const isProduction = read.NODE_ENV === "production";
  if (!bundleId || !rootCertificates) return {};
  return {
    apple: Object.freeze({
      environment: isProduction ? ("production" as const) : ("sandbox" as const),
      bundleId,
      ...(appId !== undefined && { appId }),
      /** Paths of files. */
      rootCertificates: Object.freeze(rootCertificates),
      onlineChecks: read.APPLE_ONLINE_CHECKS === undefined ? isProduction : read.APPLE_ONLINE_CHECKS === "on",
      ...(issuerId && keyId && key && { key: Object.freeze({ issuerId, keyId, privateKey: privateKeyOf(key)! }) }),
      ...(read.APPLE_STORE_BASE_URL && { baseUrl: read.APPLE_STORE_BASE_URL }),
    }),
  };
}
