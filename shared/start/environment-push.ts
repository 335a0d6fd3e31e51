import { createPrivateKey } from "node:crypto";
import Joi from "joi";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import { about } from "./environment-fields.ts";

/** What the service reads about pushes to devices. */
export interface PushEnvironment {
  FCM_SERVICE_ACCOUNT?: string;
  FCM_BASE_URL: string;
}

/** Of a service account's key, what is needed to call Google as it. */
export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  /** PKCS #8 PEM. */
  readonly privateKey: string;
  /** Where an access token is to be had. */
  readonly tokenUrl: string;
}

interface KeyFile {
  type: "service_account";
  project_id: string;
  client_email: string;
  private_key: string;
  token_uri: string;
}

const keyFile = Joi.object<KeyFile>({
  type: Joi.valid("service_account").required(),
  project_id: Joi.string()
    .pattern(/^[a-z0-9.:-]{1,100}$/)
    .required(),
  client_email: Joi.string().max(254).required(),
  private_key: Joi.string()
    .custom((pem: string) => {
      if (createPrivateKey(pem).asymmetricKeyType !== "rsa") throw new Error("the key is not RSA");
      return pem;
    })
    .required(),
  token_uri: Joi.string()
    .custom((value: string, helpers) => (isSecureAddress(value) ? value : helpers.error("any.invalid")))
    .default("https://oauth2.googleapis.com/token"),
}).unknown(true);

/** Reads the key file of a service account, as it is or in base64; undefined when it is none. */
export function serviceAccountOf(text: string): ServiceAccount | undefined {
  const json = text.trimStart().startsWith("{") ? text : Buffer.from(text, "base64").toString();
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return undefined; // No JSON is no key file.
  }
  const { value, error } = keyFile.validate(parsed);
  if (error || !value) return undefined;
  const { project_id, client_email, private_key, token_uri } = value;
  return { projectId: project_id, clientEmail: client_email, privateKey: private_key, tokenUrl: token_uri };
}

export const pushVariables: { readonly [K in keyof Required<PushEnvironment>]: Joi.Schema } = {
  FCM_SERVICE_ACCOUNT: about(
    Joi.string().custom((value: string, helpers) => (serviceAccountOf(value) ? value : helpers.error("any.invalid"))),
    {
      purpose:
        "Key of a Google service account that may send by Firebase Cloud Messaging, the same for all processes. Without it nothing is pushed to people who are not connected.",
      wanted: "the JSON file of the key, as it is or in base64",
      example: "here the output of: base64 -w0 service-account.json",
      secrecy: "secret",
    },
  ),
  FCM_BASE_URL: about(
    Joi.string()
      .custom((value: string, helpers) => (isSecureAddress(value) ? value : helpers.error("any.invalid")))
      .default("https://fcm.googleapis.com"),
    {
      purpose: "Where Firebase Cloud Messaging's REST API is, without /v1.",
      wanted: "an https address; http only for this machine itself",
      example: "https://fcm.googleapis.com",
    },
  ),
};
