import Joi from "joi";
import { type Infer, object } from "#shared/contracts/fields.ts";
import { eventVariables } from "./environment-events.ts";
import { extensionVariables } from "./environment-extensions.ts";
import {
  type About,
  about,
  address,
  choice,
  commaList,
  isNetwork,
  isRedisAddress,
  passing,
} from "./environment-fields.ts";
import { googlePlayVariables } from "./environment-google-play.ts";
import { judgeVariables } from "./environment-judge.ts";
import { mailVariables } from "./environment-mail.ts";
import { mediaVariables } from "./environment-media.ts";
import { paymentVariables } from "./environment-payments.ts";
import { pushVariables } from "./environment-push.ts";
import { replicaVariables } from "./environment-replica.ts";
import { signInVariables } from "./environment-sign-in.ts";
import { storeVariables } from "./environment-stores.ts";

/** The roles that a process can have. */
export const roles = ["api", "engine", "jobs"] as const;
export type Role = (typeof roles)[number];

const isOrigin = (text: string) => /^https?:/.test(text) && URL.parse(text)?.origin === text;

/** Used in the examples and rejected as values, because they are public. */
const placeholders = { secret: "output of: openssl rand -base64 32", password: "your-password" };

/** Processes that share the roles must also share a database and a Redis server. */
const requiredWhenSplit = { not: Joi.array().max(roles.length - 1), otherwise: Joi.required() };

/** All environment variables of the service. Nothing else configures it. */
export const environment = {
  NODE_ENV: about(choice("development", "test", "production"), {
    purpose:
      "Development mode adds demo data with public passwords. Production mode doesn't, and requires JWT_SECRET and ENCRYPTION_KEY.",
    wanted: "development, test, or production",
    example: "production",
    fallback: "development",
  }),
  DEMO_BOTS: about(choice("on", "off").when("NODE_ENV", { not: "production", otherwise: Joi.invalid("on") }), {
    purpose:
      "After the start, fills a database that holds only demo data with a small living world: two dozen people with a month of history, some of whom walk, talk, and give. Not in production. Default: on in development without REDIS_URL, otherwise off.",
    wanted: "on or off",
    example: "off",
  }),
  HOST: about(Joi.string().hostname(), {
    purpose:
      "Address to listen on. The default accepts connections from this machine only, because demo logins are public. Set 0.0.0.0 to accept all connections.",
    wanted: "an IP address or a host name of this machine",
    example: "0.0.0.0",
    fallback: "127.0.0.1",
  }),
  PORT: about(Joi.number().port(), {
    purpose: "TCP port for REST, Socket.IO, and native clients. 0 selects a free port.",
    wanted: "a whole number, 0 to 65535",
    example: "3000",
    fallback: 3000,
  }),
  PUBLIC_URL: about(passing(isOrigin), {
    purpose: "Public URL of the service, used in links. Default: the address it listens on.",
    wanted: "http(s)://host or http(s)://host:port, without a path",
    example: "https://api.example.com",
  }),
  TRUSTED_PROXIES: about(commaList(isNetwork), {
    purpose:
      "Reverse proxies in front of the service. Only their X-Forwarded-For header is believed; otherwise, rate limits and sessions use the address of the connection. Behind a proxy that isn't listed, all clients share its address.",
    wanted: "comma-separated IP addresses or networks",
    example: "127.0.0.1,10.0.0.0/8",
    fallback: [],
  }),
  METRICS_PORT: about(Joi.number().port(), {
    purpose:
      "Separate TCP port for /readyz and /metrics, which don't belong on the internet. If not set, they are on PORT in development, and not served in production. 0 selects a free port.",
    wanted: "a whole number, 0 to 65535",
    example: "9464",
  }),
  DRAIN_SECONDS: about(Joi.number().integer().min(0).max(300), {
    purpose:
      "How long a process that is told to stop goes on serving: /readyz reports it as not ready, and its connections and rooms move to other processes. Afterwards, it ends within 14 seconds. Default: 10 in production, otherwise 0.",
    wanted: "a whole number, 0 to 300",
    example: "10",
  }),
  DATA_DIR: about(Joi.string(), {
    purpose:
      "Folder of the embedded database and the generated secrets. A relative path is relative to the service's folder.",
    wanted: "a path",
    example: "/var/lib/hubbub",
    fallback: ".data",
  }),
  DATABASE_URL: about(address("postgres:", "postgresql:").when("ROLES", requiredWhenSplit), {
    purpose:
      "PostgreSQL database (16 or newer) to use instead of the embedded one. Required unless the process has all ROLES.",
    wanted: "postgres://user:password@host:port/database",
    example: "postgres://hubbub:hubbub@127.0.0.1:5432/hubbub",
    secrecy: "address",
  }),
  DATABASE_DIRECT_URL: about(
    address("postgres:", "postgresql:").when("DATABASE_URL", { is: Joi.exist(), otherwise: Joi.forbidden() }),
    {
      purpose:
        "The same database without the pooler that DATABASE_URL leads to, such as PgBouncer in transaction mode: for migrations, backups, and two connections of each process that stay.",
      wanted: "postgres://user:password@host:port/database",
      example: "postgres://hubbub:hubbub@127.0.0.1:5432/hubbub",
      secrecy: "address",
    },
  ),
  ...replicaVariables,
  REDIS_URL: about(passing(isRedisAddress).when("ROLES", requiredWhenSplit), {
    purpose:
      "Redis that connects the processes of a service: one server, the one that Sentinels name, or a cluster. A user and a password may precede the hosts; options follow: ca=file, family=6, and for Sentinel and cluster tls=on; for Sentinel db, sentinel_username, and sentinel_password. Required unless the process has all ROLES. If not set, the service is a single process.",
    wanted:
      "redis://host:port, rediss://host:port (with TLS), redis-sentinel://host:port,host:port/name, or redis-cluster://host:port,host:port",
    example: "redis://127.0.0.1:6379",
    secrecy: "address",
  }),
  ROLES: about(
    commaList<Role>((member) => roles.includes(member as Role)),
    {
      purpose: "Roles of this process.",
      wanted: `a comma-separated subset of ${roles.join(",")}`,
      example: "api,engine",
      fallback: [...roles],
    },
  ),
  JWT_SECRET: about(
    Joi.string()
      .min(32)
      .invalid(placeholders.secret)
      .when("NODE_ENV", { not: "production", otherwise: Joi.required() }),
    {
      purpose:
        "Key for signing access tokens, the same for all processes. Required in production. Default: generated and stored in DATA_DIR.",
      wanted: "at least 32 characters, such as the output of `openssl rand -base64 32`",
      example: placeholders.secret,
      secrecy: "secret",
    },
  ),
  ADMIN_JWT_SECRET: about(Joi.string().min(32).invalid(placeholders.secret).disallow(Joi.ref("JWT_SECRET")), {
    purpose:
      "Key for signing admin tokens, the same for all processes. Default: derived from JWT_SECRET. Set it so that a leak of JWT_SECRET doesn't affect administrators.",
    wanted: "at least 32 characters, different from JWT_SECRET",
    example: placeholders.secret,
    secrecy: "secret",
  }),
  AUDIT_SIGNING_KEY: about(
    commaList((key) => key.length >= 32 && key !== placeholders.secret),
    {
      purpose:
        "Secret that the Ed25519 key for signing the heads of the audit log and the ledger is made of, the same for all processes. To change it, set the new one, a comma, and the old one, which still verifies what it signed. Default: derived from JWT_SECRET; an old JWT_SECRET can stand for the key that was derived from it.",
      wanted: "at least 32 characters without a comma, or the new and the old key separated by a comma",
      example: placeholders.secret,
      secrecy: "secret",
    },
  ),
  ENCRYPTION_KEY: about(
    commaList((key) => key.length >= 32 && key !== placeholders.secret).when("NODE_ENV", {
      not: "production",
      otherwise: Joi.required(),
    }),
    {
      purpose:
        "Key that stored secrets are encrypted with, the same for all processes: codes of gift cards, second factors, secrets of webhooks and gateways. Without it, they are lost. To change it, set the new one, a comma, and the old one, run `npm run secrets:rotate`, and remove the old one. Required in production. Default: derived from JWT_SECRET.",
      wanted: "at least 32 characters without a comma, or the new and the old key separated by a comma",
      example: placeholders.secret,
      secrecy: "secret",
    },
  ),
  ADMIN_EMAIL: about(Joi.string().email({ tlds: false }).lowercase().max(254), {
    purpose: "Email address of the first super administrator, who is created on startup if missing.",
    wanted: "an email address; requires ADMIN_PASSWORD",
    example: "admin@example.com",
  }),
  ADMIN_PASSWORD: about(Joi.string().min(12).max(128).invalid(placeholders.password), {
    purpose: "Initial password of the first super administrator. Changing this variable later has no effect.",
    wanted: "12 to 128 characters; requires ADMIN_EMAIL",
    example: placeholders.password,
    secrecy: "secret",
  }),
  RATE_LIMITS: about(choice("on", "off"), {
    purpose: "Rate limits. Turn them off for load tests only.",
    wanted: "on or off",
    example: "off",
    fallback: "on",
  }),
  CORS_ORIGINS: about(
    commaList((member) => member === "*" || isOrigin(member)),
    {
      purpose:
        "Origins allowed to call the API from browsers. All are allowed by default, because the API uses tokens, not cookies.",
      wanted: "comma-separated origins without paths, or *",
      example: "https://app.example.com,http://localhost:5173",
      fallback: ["*"],
    },
  ),
  ADMIN_CORS_ORIGINS: about(
    commaList((member) => isOrigin(member)),
    {
      purpose: "Origins allowed to call the admin API from browsers. None by default.",
      wanted: "comma-separated origins without paths",
      example: "https://admin.example.com",
    },
  ),
  LIVEKIT_URL: about(address("ws:", "wss:", "http:", "https:"), {
    purpose: "LiveKit server for voice. Voice is disabled unless all three LIVEKIT variables are set.",
    wanted: "wss://host; requires LIVEKIT_API_KEY and LIVEKIT_API_SECRET",
    example: "wss://voice.example.com",
    secrecy: "address",
  }),
  LIVEKIT_API_KEY: about(Joi.string(), {
    purpose: "LiveKit API key.",
    wanted: "the key; requires LIVEKIT_URL and LIVEKIT_API_SECRET",
    example: "APIxxxxxxxxxxxx",
  }),
  LIVEKIT_API_SECRET: about(Joi.string(), {
    purpose: "LiveKit API secret.",
    wanted: "the secret; requires LIVEKIT_URL and LIVEKIT_API_KEY",
    example: "your-livekit-secret",
    secrecy: "secret",
  }),
  VOICE_EVIDENCE_URL: about(
    address("ws:", "wss:").when("LIVEKIT_URL", { is: Joi.exist(), otherwise: Joi.forbidden() }),
    {
      purpose:
        "Where LiveKit's egress service reaches this service, to send what is said on seats while the setting voice_evidence is on. Default: PUBLIC_URL.",
      wanted: "ws(s)://host or ws(s)://host:port; requires LIVEKIT_URL",
      example: "ws://10.0.0.5:3000",
      secrecy: "address",
    },
  ),
  ...paymentVariables,
  ...googlePlayVariables,
  ...mailVariables,
  ...pushVariables,
  ...signInVariables,
  ...storeVariables,
  ...judgeVariables,
  ...eventVariables,
  ...extensionVariables,
  ...mediaVariables,
  OTEL_EXPORTER_OTLP_ENDPOINT: about(address("http:", "https:"), {
    purpose:
      "Base URL of an OpenTelemetry collector. If set, traces of calls, events, actions, statements, and jobs are sent there by OTLP over HTTP (JSON), and log lines carry their IDs. The exporter also reads OTEL_EXPORTER_OTLP_HEADERS, _COMPRESSION, _CERTIFICATE, _CLIENT_CERTIFICATE, and _CLIENT_KEY.",
    wanted: "http://host:port",
    example: "http://127.0.0.1:4318",
    secrecy: "address",
  }),
  OTEL_SERVICE_NAME: about(Joi.string().max(100), {
    purpose: "What this process is called in traces.",
    wanted: "a name",
    example: "hubbub-engine",
    fallback: "hubbub",
  }),
  OTEL_TRACES_SAMPLER_ARG: about(Joi.number().min(0).max(1), {
    purpose: "Share of traces that is exported, the same for all processes.",
    wanted: "a number, 0 to 1",
    example: "0.05",
    fallback: 1,
  }),
  LOG_LEVEL: about(choice("trace", "debug", "info", "warn", "error", "fatal", "silent"), {
    purpose: "Minimum level of log messages.",
    wanted: "trace, debug, info, warn, error, fatal, or silent",
    example: "debug",
    fallback: "info",
  }),
};

export const environmentSchema = object(environment)
  .and("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")
  .and("RAZORPAYX_KEY_ID", "RAZORPAYX_KEY_SECRET", "RAZORPAYX_WEBHOOK_SECRET", "RAZORPAYX_ACCOUNT_NUMBER")
  .and("RAZORPAY_KEY_ID", "RAZORPAY_KEY_SECRET", "RAZORPAY_WEBHOOK_SECRET")
  .and("STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET")
  .and("GOOGLE_PLAY_PACKAGE", "GOOGLE_SERVICE_ACCOUNT")
  .and("GOOGLE_PUBSUB_AUDIENCE", "GOOGLE_PUBSUB_SERVICE_ACCOUNT")
  .and("SMTP_URL", "MAIL_FROM")
  .and("APPLE_TEAM_ID", "APPLE_KEY_ID", "APPLE_PRIVATE_KEY")
  .and("APPLE_BUNDLE_ID", "APPLE_ROOT_CERTIFICATES")
  .and("APPLE_STORE_ISSUER_ID", "APPLE_STORE_KEY_ID", "APPLE_STORE_PRIVATE_KEY")
  .and("ADMIN_EMAIL", "ADMIN_PASSWORD")
  .unknown(true);

/** The environment after validation. */
export type Environment = Infer<typeof environmentSchema>;

export type VariableName = keyof typeof environment;
export const variableNames = Object.keys(environment) as VariableName[];

/** Returns the documentation of a variable from its schema. */
export const describeVariable = (name: VariableName): Required<About> => environment[name].describe().metas?.[0];
