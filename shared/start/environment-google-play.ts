import { readFileSync } from "node:fs";
import Joi from "joi";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import type { Environment } from "./environment.ts";
import { about, passing } from "./environment-fields.ts";
import { type ServiceAccount, serviceAccountOf } from "./environment-push.ts";

/** Returns the service account whose key, or its file, is named. Undefined if there is none. */
function accountOf(text: string): ServiceAccount | undefined {
  try {
    return serviceAccountOf(text) ?? serviceAccountOf(readFileSync(text, "utf8"));
  } catch {
    return undefined;
  }
}

/** Environment variables of purchases at Google Play. */
export const googlePlayVariables = {
  GOOGLE_PLAY_PACKAGE: about(
    Joi.string()
      .pattern(/^[A-Za-z][\w]*(\.[A-Za-z]\w*)+$/)
      .max(150),
    {
      purpose: "Package name of your app at Google Play. If not set, purchases at Google Play aren't accepted.",
      wanted: "a package name; requires GOOGLE_SERVICE_ACCOUNT",
      example: "com.example.hubbub",
    },
  ),
  GOOGLE_SERVICE_ACCOUNT: about(
    passing((value) => accountOf(value) !== undefined),
    {
      purpose:
        "Key of a Google service account with the permissions to view financial data and to manage orders and subscriptions of the app in the Play Console, the same for all processes.",
      wanted: "path of the key's JSON file, or its contents as plain text or in base64; requires GOOGLE_PLAY_PACKAGE",
      example: "/etc/hubbub/google-play.json",
      secrecy: "secret",
    },
  ),
  GOOGLE_PUBSUB_AUDIENCE: about(Joi.string().max(500), {
    purpose:
      "Audience of the tokens with which Google's Pub/Sub authenticates notices of purchases, as set at the push subscription. Its URL is PUBLIC_URL/api/v1/payments/webhook/google. If not set, notices aren't accepted.",
    wanted: "the audience; requires GOOGLE_PUBSUB_SERVICE_ACCOUNT",
    example: "https://api.example.com/api/v1/payments/webhook/google",
  }),
  GOOGLE_PUBSUB_SERVICE_ACCOUNT: about(Joi.string().email({ tlds: false }).max(254), {
    purpose: "Email address of the service account of that push subscription.",
    wanted: "an email address; requires GOOGLE_PUBSUB_AUDIENCE",
    example: "play-notices@your-project.iam.gserviceaccount.com",
  }),
  GOOGLE_PLAY_BASE_URL: about(passing(isSecureAddress), {
    purpose: "Base URL of Google Play's Developer API, without /androidpublisher.",
    wanted: "an https URL, or an http URL on this machine",
    example: "https://androidpublisher.googleapis.com",
    fallback: "https://androidpublisher.googleapis.com",
  }),
};

/** An app at Google Play. */
export interface GooglePlayConfig {
  readonly packageName: string;
  readonly account: ServiceAccount;
  readonly baseUrl: string;
  /** Who sends notices. If absent, none are accepted. */
  readonly sender?: { readonly audience: string; readonly email: string };
}

export function googlePlayOf(read: Environment): { readonly google?: GooglePlayConfig } {
  const { GOOGLE_PLAY_PACKAGE: packageName, GOOGLE_SERVICE_ACCOUNT: key, GOOGLE_PLAY_BASE_URL: baseUrl } = read;
  const { GOOGLE_PUBSUB_AUDIENCE: audience, GOOGLE_PUBSUB_SERVICE_ACCOUNT: email } = read;
  const account = key && accountOf(key);
  if (!packageName || !account) return {};
  return {
    google: Object.freeze({ packageName, account, baseUrl, ...(audience && email && { sender: { audience, email } }) }),
  };
}
