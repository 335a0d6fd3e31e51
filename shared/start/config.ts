import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type Joi from "joi";
import type { Replica } from "#shared/db/replica.ts";
import { nearestName } from "#shared/kernel/nearest-name.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import type { TracingOptions } from "#shared/kernel/start-tracing.ts";
import { type PaymentsConfig, paymentsOf } from "./config-payments.ts";
import {
  describeVariable,
  type Environment,
  environmentSchema,
  type Role,
  type VariableName,
  variableNames,
} from "./environment.ts";
import type { Secrecy } from "./environment-fields.ts";
import { judgeOf } from "./environment-judge.ts";
import { type MediaSettings, mediaOf } from "./environment-media.ts";
import { type ServiceAccount, serviceAccountOf } from "./environment-push.ts";
import { type ConfiguredProvider, openIdProvidersOf } from "./environment-sign-in.ts";
import { storesOf } from "./environment-stores.ts";

/**
 * The validated, frozen configuration of the process. Read once, by `main.ts`, which passes it to the parts that need
 * it.
 */
export interface Config {
  readonly environment: Environment["NODE_ENV"];
  /** Whether the demo world is made, and its people act. */
  readonly demoBots: boolean;
  readonly host: string;
  readonly port: number;
  /** Public URL of the service. Default: the address it listens on. */
  readonly publicUrl?: string;
  readonly trustedProxies: readonly string[];
  /** Where `/readyz` and `/metrics` are. If absent: on `port`, except in production. */
  readonly metricsPort?: number;
  /** How long a stopping process goes on serving while its connections move to others, milliseconds. */
  readonly drainMs: number;
  /** Absolute. */
  readonly dataDir: string;
  readonly databaseUrl?: string;
  /** The database without a pooler. If absent, `databaseUrl` has none. */
  readonly databaseDirectUrl?: string;
  /** A replica for reads, and how long these wait for it, milliseconds. */
  readonly databaseReplica?: Replica;
  readonly redisUrl?: string;
  readonly roles: readonly Role[];
  /** If absent, a secret is generated and stored in `dataDir`. */
  readonly jwtSecret?: string;
  /** If absent, derived from the JWT secret. */
  readonly adminJwtSecret?: string;
  /** The first signs, and all verify. If absent, derived from the JWT secret. */
  readonly auditSigningKeys?: readonly string[];
  /** The first encrypts, and all decrypt. If absent, derived from the JWT secret. */
  readonly encryptionKeys?: readonly string[];
  readonly admin?: { readonly email: string; readonly password: string };
  readonly rateLimits: boolean;
  /** `*` for any. */
  readonly corsOrigins: readonly string[];
  readonly adminCorsOrigins: readonly string[];
  readonly livekit?: { readonly url: string; readonly apiKey: string; readonly apiSecret: string };
  /** Where the media server reaches this service. Default: `publicUrl`. */
  readonly voiceEvidenceUrl?: string;
  readonly payments: PaymentsConfig;
  /** The stores that apps buy at. Their certificates are files that are read at the start. */
  readonly stores: ReturnType<typeof storesOf>;
  readonly mail: MailConfig;
  /** The push provider. If absent, push notifications are disabled. */
  readonly push?: ServiceAccount & { readonly baseUrl: string };
  /** Who says what texts and pictures are. */
  readonly judge?: { readonly url: string; readonly secret: string };
  /** URLs of where events are written. */
  readonly eventSinks: readonly string[];
  readonly media: MediaSettings;
  /** The OpenID providers that people can log in with. */
  readonly openId: readonly ConfiguredProvider[];
  readonly logLevel: Environment["LOG_LEVEL"];
  /** Where traces go. If absent, there are none. */
  readonly tracing?: TracingOptions;
}

/** How mail and text messages are sent. Those of an absent channel are not sent. */
export interface MailConfig {
  readonly smtp?: { readonly url: string; readonly from: string };
  readonly smsWebhook?: { readonly url: string; readonly token?: string };
  /** The app's page for choosing a new password. Default: the page of this service. */
  readonly resetPasswordUrl?: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Invalid environment variables. The message lists each with its value, the expected value, and an example. */
export class ConfigError extends OperatorError {
  readonly problems: readonly { readonly name: string; readonly text: string }[];

  constructor(problems: { name: string; text: string }[]) {
    super(`Invalid environment variables:\n${problems.map(({ text }) => `\n${text}`).join("\n")}`);
    this.problems = problems;
  }
}

const serviceFolder = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Reads and validates the environment.
 * @throws ConfigError with all errors at once.
 */
export function loadConfig(variables: Variables): Config {
  const read = checkedEnvironment(variables);
  return Object.freeze({
    environment: read.NODE_ENV,
    demoBots:
      read.DEMO_BOTS === undefined ? read.NODE_ENV === "development" && !read.REDIS_URL : read.DEMO_BOTS === "on",
    host: read.HOST,
    port: read.PORT,
    ...(read.PUBLIC_URL && { publicUrl: read.PUBLIC_URL }),
    trustedProxies: Object.freeze(read.TRUSTED_PROXIES),
    drainMs: 1000 * (read.DRAIN_SECONDS ?? (read.NODE_ENV === "production" ? 10 : 0)),
    ...(read.METRICS_PORT !== undefined && { metricsPort: read.METRICS_PORT }),
    dataDir: resolve(serviceFolder, read.DATA_DIR),
    ...(read.DATABASE_URL && { databaseUrl: read.DATABASE_URL }),
    ...(read.DATABASE_DIRECT_URL && { databaseDirectUrl: read.DATABASE_DIRECT_URL }),
    ...(read.DATABASE_REPLICA_URL && {
      databaseReplica: Object.freeze({ url: read.DATABASE_REPLICA_URL, waitMs: read.DATABASE_REPLICA_WAIT_MS }),
    }),
    ...(read.REDIS_URL && { redisUrl: read.REDIS_URL }),
    roles: Object.freeze(read.ROLES),
    ...(read.JWT_SECRET && { jwtSecret: read.JWT_SECRET }),
    ...(read.ADMIN_JWT_SECRET && { adminJwtSecret: read.ADMIN_JWT_SECRET }),
    ...(read.AUDIT_SIGNING_KEY && { auditSigningKeys: Object.freeze(read.AUDIT_SIGNING_KEY) }),
    ...(read.ENCRYPTION_KEY && { encryptionKeys: Object.freeze(read.ENCRYPTION_KEY) }),
    ...(read.ADMIN_EMAIL &&
      read.ADMIN_PASSWORD && { admin: Object.freeze({ email: read.ADMIN_EMAIL, password: read.ADMIN_PASSWORD }) }),
    rateLimits: read.RATE_LIMITS === "on",
    corsOrigins: Object.freeze(read.CORS_ORIGINS),
    adminCorsOrigins: Object.freeze(read.ADMIN_CORS_ORIGINS ?? []),
    ...(read.LIVEKIT_URL &&
      read.LIVEKIT_API_KEY &&
      read.LIVEKIT_API_SECRET && {
        livekit: Object.freeze({
          url: read.LIVEKIT_URL,
          apiKey: read.LIVEKIT_API_KEY,
          apiSecret: read.LIVEKIT_API_SECRET,
        }),
      }),
    ...(read.VOICE_EVIDENCE_URL && { voiceEvidenceUrl: read.VOICE_EVIDENCE_URL.replace(/\/+$/, "") }),
    payments: Object.freeze(paymentsOf(read)),
    stores: Object.freeze(storesOf(read)),
    mail: Object.freeze(mailOf(read)),
    ...pushOf(read),
    ...judgeOf(read),
    eventSinks: Object.freeze(read.EVENT_SINKS),
    media: Object.freeze(mediaOf(read, resolve(serviceFolder, read.DATA_DIR))),
    openId: Object.freeze(openIdProvidersOf(read)),
    logLevel: read.LOG_LEVEL,
    ...(read.OTEL_EXPORTER_OTLP_ENDPOINT && {
      tracing: Object.freeze({
        endpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT,
        serviceName: read.OTEL_SERVICE_NAME,
        ratio: read.OTEL_TRACES_SAMPLER_ARG,
      }),
    }),
  });
}

function pushOf(read: Environment): Pick<Config, "push"> {
  const account = read.FCM_SERVICE_ACCOUNT && serviceAccountOf(read.FCM_SERVICE_ACCOUNT);
  return account ? { push: Object.freeze({ ...account, baseUrl: read.FCM_BASE_URL }) } : {};
}

function mailOf(read: Environment): MailConfig {
  const { SMTP_URL, MAIL_FROM, SMS_WEBHOOK_URL, SMS_WEBHOOK_TOKEN, RESET_PASSWORD_URL } = read;
  return {
    ...(SMTP_URL && MAIL_FROM && { smtp: Object.freeze({ url: SMTP_URL, from: MAIL_FROM }) }),
    ...(SMS_WEBHOOK_URL && {
      smsWebhook: Object.freeze({ url: SMS_WEBHOOK_URL, ...(SMS_WEBHOOK_TOKEN && { token: SMS_WEBHOOK_TOKEN }) }),
    }),
    ...(RESET_PASSWORD_URL && { resetPasswordUrl: RESET_PASSWORD_URL }),
  };
}

/** Beginnings of names that only variables of ours have. */
const families = [
  "APPLE_",
  "FCM_",
  "GOOGLE_PLAY_",
  "GOOGLE_PUBSUB_",
  "LIVEKIT_",
  "MEDIA_",
  "RAZORPAY_",
  "RAZORPAYX_",
  "SANDBOX_",
  "SMS_",
  "SMTP_",
  "STRIPE_",
];
/** What the exporter of traces reads by itself. Its endpoint and timeout are ours. */
const ofExporter = ["", "TRACES_"].flatMap((signal) =>
  ["HEADERS", "COMPRESSION", "CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"].map(
    (name) => `OTEL_EXPORTER_OTLP_${signal}${name}`,
  ),
);
/** What Kubernetes sets for each service of a namespace. */
const ofKubernetes = /_SERVICE_|_PORT(_|$)/;

/**
 * Returns a warning for each unknown variable that is probably meant for us. Variables of other programs are passed
 * over.
 */
export function misspelledVariables(variables: Variables): string[] {
  const known: readonly string[] = [...variableNames, ...ofExporter];
  return Object.keys(variables).flatMap((name) => {
    if (known.includes(name) || ofKubernetes.test(name)) return [];
    const family = families.find((start) => name.startsWith(start));
    const warn = (more: string) => [`The environment variable ${name} is ignored. ${more}`];
    if (family) {
      const relatives = known.filter((other) => other.startsWith(family));
      const meant = nearestName(
        name.slice(family.length),
        relatives.map((other) => other.slice(family.length)),
      );
      return warn(meant ? `Did you mean ${family}${meant}?` : `Known are: ${relatives.join(", ")}.`);
    }
    const meant = nearestName(name, known);
    // `PGPORT` is no `PORT`.
    return meant && Math.abs(meant.length - name.length) <= 1 ? warn(`Did you mean ${meant}?`) : [];
  });
}

function checkedEnvironment(variables: Variables): Environment {
  const { error, value } = environmentSchema.validate(variables, { abortEarly: false });
  if (!error) return value;
  const names = new Set(error.details.flatMap(invalidNames));
  throw new ConfigError(
    variableNames.filter((name) => names.has(name)).map((name) => ({ name, text: faultText(name, variables[name]) })),
  );
}

/** Returns the names of the invalid variables. Of variables that require each other, these are the missing ones. */
function invalidNames({ path, context }: Joi.ValidationErrorItem): string[] {
  return path.length > 0 ? [String(path[0])] : (context?.missing as string[]);
}

function faultText(name: VariableName, got: string | undefined): string {
  const { wanted, example, secrecy } = describeVariable(name);
  return [
    `  ${name}`,
    `    value:    ${got ? shown(got, secrecy) : "not set"}`,
    `    expected: ${wanted}`,
    `    example:  ${name}=${example}`,
  ].join("\n");
}

/** Returns a value with its secrets masked. */
function shown(value: string, secrecy: Secrecy): string {
  if (secrecy === "open") return value;
  if (secrecy === "secret") return `**** (${value.length} characters)`;
  // Also masks invalid URLs: everything before the last @, and all passwords in the query.
  return value.replace(/^([\w-]+:\/\/)?.*@/s, "$1****@").replace(/password=[^&]*/gi, "password=****");
}

/** Returns the text of `.env.example`. */
export function exampleEnvironment(): string {
  const entries = variableNames.map((name) => {
    const { purpose, wanted, example, fallback } = describeVariable(name);
    const lines = [purpose, `Value: ${wanted}.${fallback === undefined ? "" : ` Default: ${fallback}`}`];
    return `${lines.map((line) => `# ${line}\n`).join("")}# ${name}=${/\s/.test(example) ? `"${example}"` : example}\n`;
  });
  const head =
    "# The environment variables of Hubbub. `npm start` also reads the file `.env` in this folder. None is required in development.\n" +
    "# Generated by `npm run -s config -- --example`.\n";
  return [head, ...entries].join("\n");
}

/**
 * Returns the current configuration, one line per variable, without secrets.
 * @throws ConfigError
 */
export function effectiveEnvironment(variables: Variables): string {
  const read = checkedEnvironment(variables);
  const lines = variableNames.map((name) => {
    const value = read[name];
    const { secrecy } = describeVariable(name);
    const source = variables[name] ? "" : "  (default)";
    return value === undefined ? `${name} is not set` : `${name}=${shown(String(value), secrecy)}${source}`;
  });
  return `${lines.join("\n")}\n`;
}
