import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Joi from "joi";
import type { InferFields } from "#shared/contracts/fields.ts";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import { about, passing } from "./environment-fields.ts";

/** A folder, or the address of a bucket. */
const isStore = (text: string) => (text.startsWith("file:///") && URL.canParse(text)) || isSecureAddress(text);

const isBucket = Joi.string()
  .pattern(/^https?:/)
  .required();
const ofBucket = (schema: Joi.StringSchema) =>
  schema
    .when("MEDIA_URL", { is: isBucket, otherwise: Joi.forbidden() })
    .when("MEDIA_URL", { not: isBucket, otherwise: Joi.required() });

/** Environment variables of the store of uploaded pictures, sounds, and files. */
export const mediaVariables = {
  MEDIA_URL: about(passing(isStore), {
    purpose:
      "Where uploaded pictures, sounds, and files are stored: a folder that all processes share, or the bucket of an S3-compatible store, which requires MEDIA_ACCESS_KEY_ID and MEDIA_SECRET_ACCESS_KEY. Default: the folder `media` in DATA_DIR, which several machines don't share.",
    wanted: "file:///path, or an https URL of a bucket, or an http URL on this machine",
    example: "https://s3.eu-central-1.amazonaws.com/hubbub-media",
  }),
  MEDIA_ACCESS_KEY_ID: about(ofBucket(Joi.string().max(200)), {
    purpose: "Access key of the bucket. It must be allowed to list, read, write, and delete objects.",
    wanted: "the ID of an access key; only with a bucket in MEDIA_URL",
    example: "AKIAIOSFODNN7EXAMPLE",
  }),
  MEDIA_SECRET_ACCESS_KEY: about(ofBucket(Joi.string().max(200)), {
    purpose: "Secret of MEDIA_ACCESS_KEY_ID.",
    wanted: "the secret of an access key; only with a bucket in MEDIA_URL",
    example: "secret-of-the-access-key",
    secrecy: "secret",
  }),
  MEDIA_REGION: about(Joi.string().max(60), {
    purpose: "Region of the bucket.",
    wanted: "the name of a region, or `auto`",
    example: "eu-central-1",
    fallback: "us-east-1",
  }),
  MEDIA_PUBLIC_URL: about(passing(isSecureAddress), {
    purpose:
      "Where public files are read, such as a CDN in front of the bucket or of this service. Addresses below it are stored with what shows them. Default: this service, which hands out files of a folder, and redirects to those of a bucket.",
    wanted: "an https URL, or an http URL on this machine",
    example: "https://media.example.com",
  }),
};

/** Where uploaded files are. */
export interface MediaSettings {
  /** Absolute. Used unless there is `s3`. */
  readonly folder: string;
  readonly s3?: {
    readonly url: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly region: string;
  };
  readonly publicUrl?: string;
}

const withoutSlash = (address: string) => address.replace(/\/+$/, "");

/** Returns where uploaded files are, by the variables and the data folder. */
export function mediaOf(read: InferFields<typeof mediaVariables>, dataDir: string): MediaSettings {
  const { MEDIA_URL: url, MEDIA_PUBLIC_URL: publicUrl, MEDIA_ACCESS_KEY_ID, MEDIA_SECRET_ACCESS_KEY } = read;
  const shared = url?.startsWith("file:") ? fileURLToPath(url) : undefined;
  return {
    folder: shared ?? join(dataDir, "media"),
    ...(url &&
      MEDIA_ACCESS_KEY_ID &&
      MEDIA_SECRET_ACCESS_KEY && {
        s3: Object.freeze({
          url: withoutSlash(url),
          accessKeyId: MEDIA_ACCESS_KEY_ID,
          secretAccessKey: MEDIA_SECRET_ACCESS_KEY,
          region: read.MEDIA_REGION,
        }),
      }),
    ...(publicUrl && { publicUrl: withoutSlash(publicUrl) }),
  };
}
