import { createPrivateKey } from "node:crypto";
import Joi from "joi";
import { object, withDefault } from "#shared/contracts/fields.ts";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import { about, passing } from "./environment-fields.ts";

/** The part of a service account's key that is needed to authenticate with Google. */
export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  /** PKCS #8 PEM. */
  readonly privateKey: string;
  /** URL that issues access tokens. */
  readonly tokenUrl: string;
}

const keyFile = object({
  type: Joi.valid("service_account"),
  project_id: Joi.string().pattern(/^[a-z0-9.:-]{1,100}$/),
  client_email: Joi.string().max(254),
  private_key: Joi.string().custom((pem: string) => {
    if (createPrivateKey(pem).asymmetricKeyType !== "rsa") throw new Error("not an RSA key");
    return pem;
  }),
  token_uri: withDefault(passing(isSecureAddress), "https://oauth2.googleapis.com/token"),
}).unknown(true);

/** Parses the key file of a service account, as plain text or base64. Returns undefined if it is invalid. */
export function serviceAccountOf(text: string): ServiceAccount | undefined {
  const json = text.trimStart().startsWith("{") ? text : Buffer.from(text, "base64").toString();
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return undefined;
  }
  const { value, error } = keyFile.validate(parsed);
  if (error || !value) return undefined;
  const { project_id, client_email, private_key, token_uri } = value;
  return { projectId: project_id, clientEmail: client_email, privateKey: private_key, tokenUrl: token_uri };
}

/** Environment variables of push notifications. */
export const pushVariables = {
  FCM_SERVICE_ACCOUNT: about(
    passing((value) => serviceAccountOf(value) !== undefined),
    {
      purpose:
        "Key of a Google service account with permission to send Firebase Cloud Messaging messages, the same for all processes. If not set, push notifications are disabled.",
      wanted: "contents of the key's JSON file, as plain text or in base64",
      example: "output of: base64 -w0 service-account.json",
      secrecy: "secret",
    },
  ),
  FCM_BASE_URL: about(passing(isSecureAddress), {
    purpose: "Base URL of Firebase Cloud Messaging's REST API, without /v1.",
    wanted: "an https URL, or an http URL on this machine",
    example: "https://fcm.googleapis.com",
    fallback: "https://fcm.googleapis.com",
  }),
};
