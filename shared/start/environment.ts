import Joi from "joi";
import { type About, about, address, commaList, type Secrecy } from "./environment-fields.ts";
import { type MailEnvironment, mailVariables } from "./environment-mail.ts";
import { type PaymentEnvironment, paymentVariables } from "./environment-payments.ts";
import { type PushEnvironment, pushVariables } from "./environment-push.ts";

/** The parts that a process can take. */
export const roles = ["api", "engine", "jobs"] as const;
export type Role = (typeof roles)[number];

/** The environment as the schema below leaves it. */
export interface Environment extends MailEnvironment, PaymentEnvironment, PushEnvironment {
  NODE_ENV: "development" | "test" | "production";
  HOST: string;
  PORT: number;
  PUBLIC_URL?: string;
  DATA_DIR: string;
  DATABASE_URL?: string;
  REDIS_URL?: string;
  ROLES: Role[];
  JWT_SECRET?: string;
  ADMIN_EMAIL?: string;
  ADMIN_PASSWORD?: string;
  RATE_LIMITS: "on" | "off";
  CORS_ORIGINS: string[];
  LIVEKIT_URL?: string;
  LIVEKIT_API_KEY?: string;
  LIVEKIT_API_SECRET?: string;
  LOG_LEVEL: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
}
export type VariableName = keyof Environment;

const isOrigin = (text: string) => /^https?:/.test(text) && URL.parse(text)?.origin === text;

/** Stand in the examples and are refused: a secret that everybody can read is none. */
const placeholders = { secret: "here the 44 characters of: openssl rand -base64 32", password: "here a password" };

/** Processes with a part of the roles find each other by the same database and the same Redis. */
const neededByParts = { not: Joi.array().max(roles.length - 1), otherwise: Joi.required() };

/** Every variable that the service reads, and nothing else decides about it. */
export const environment: { readonly [K in VariableName]: Joi.Schema } = {
  NODE_ENV: about(Joi.valid("development", "test", "production").default("development"), {
    purpose: "Development seeds demo data with public passwords; production does not and asks for JWT_SECRET.",
    wanted: "development, test or production",
    example: "production",
  }),
  HOST: about(Joi.string().hostname().default("127.0.0.1"), {
    purpose:
      "Address to listen on. The default answers this machine only, because demo logins are public; 0.0.0.0 answers all.",
    wanted: "an IP address or a host name of this machine",
    example: "0.0.0.0",
  }),
  PORT: about(Joi.number().port().default(3000), {
    purpose: "TCP port for REST, Socket.IO and native clients; 0 takes a free one.",
    wanted: "a whole number, 0 to 65535",
    example: "3000",
  }),
  PUBLIC_URL: about(
    Joi.string().custom((value: string, helpers) => (isOrigin(value) ? value : helpers.error("any.invalid"))),
    {
      purpose:
        "Where people reach the service; links that it gives away begin so. Where it listens, when it is not set.",
      wanted: "http(s)://host or http(s)://host:port, without a path",
      example: "https://api.example.com",
    },
  ),
  DATA_DIR: about(Joi.string().default(".data"), {
    purpose: "Folder of the embedded database and of the generated secret, below the service's folder when relative.",
    wanted: "a path",
    example: "/var/lib/hubbub",
  }),
  DATABASE_URL: about(address("postgres:", "postgresql:").when("ROLES", neededByParts), {
    purpose: "PostgreSQL 18 to use instead of the embedded one; needed when ROLES names a part.",
    wanted: "postgres://user:password@host:port/database",
    example: "postgres://hubbub:hubbub@127.0.0.1:5432/hubbub",
    secrecy: "address",
  }),
  REDIS_URL: about(address("redis:", "rediss:").when("ROLES", neededByParts), {
    purpose:
      "Redis that makes several processes one service; needed when ROLES names a part. Without it one process is all.",
    wanted: "redis://host:port",
    example: "redis://127.0.0.1:6379",
    secrecy: "address",
  }),
  ROLES: about(commaList((member) => roles.includes(member as Role)).default([...roles]), {
    purpose: "What this process does.",
    wanted: `some of ${roles.join(",")}`,
    example: "api,engine",
  }),
  JWT_SECRET: about(
    Joi.string()
      .min(32)
      .invalid(placeholders.secret)
      .when("NODE_ENV", { not: "production", otherwise: Joi.required() }),
    {
      purpose:
        "Key that signs access tokens, the same for all processes; needed in production. Otherwise one is made and kept in DATA_DIR.",
      wanted: "at least 32 characters, such as `openssl rand -base64 32` prints",
      example: placeholders.secret,
      secrecy: "secret",
    },
  ),
  ADMIN_EMAIL: about(Joi.string().email({ tlds: false }).lowercase().max(254), {
    purpose: "Login of the first super admin, made at the start when there is none with it.",
    wanted: "an e-mail address, together with ADMIN_PASSWORD",
    example: "admin@example.com",
  }),
  ADMIN_PASSWORD: about(Joi.string().min(12).max(128).invalid(placeholders.password), {
    purpose: "Password of the first super admin; changing it here later changes nothing.",
    wanted: "12 to 128 characters, together with ADMIN_EMAIL",
    example: placeholders.password,
    secrecy: "secret",
  }),
  RATE_LIMITS: about(Joi.valid("on", "off").default("on"), {
    purpose: "Off for load tests only.",
    wanted: "on or off",
    example: "off",
  }),
  CORS_ORIGINS: about(commaList((member) => member === "*" || isOrigin(member)).default(["*"]), {
    purpose: "Origins whose pages may call the API. Any by default: the API takes tokens and never cookies.",
    wanted: "origins separated by commas, without a path, or *",
    example: "https://app.example.com,http://localhost:5173",
  }),
  LIVEKIT_URL: about(address("ws:", "wss:", "http:", "https:"), {
    purpose: "LiveKit server for voice; voice is off without the three LIVEKIT variables.",
    wanted: "wss://host, together with LIVEKIT_API_KEY and LIVEKIT_API_SECRET",
    example: "wss://voice.example.com",
    secrecy: "address",
  }),
  LIVEKIT_API_KEY: about(Joi.string(), {
    purpose: "LiveKit API key.",
    wanted: "the key, together with LIVEKIT_URL and LIVEKIT_API_SECRET",
    example: "APIxxxxxxxxxxxx",
  }),
  LIVEKIT_API_SECRET: about(Joi.string(), {
    purpose: "LiveKit API secret.",
    wanted: "the secret, together with LIVEKIT_URL and LIVEKIT_API_KEY",
    example: "the secret that belongs to the key",
    secrecy: "secret",
  }),
  ...paymentVariables,
  ...mailVariables,
  ...pushVariables,
  LOG_LEVEL: about(Joi.valid("trace", "debug", "info", "warn", "error", "fatal", "silent").default("info"), {
    purpose: "The least important log lines that are written.",
    wanted: "trace, debug, info, warn, error, fatal or silent",
    example: "debug",
  }),
};

export const environmentSchema = Joi.object<Environment>(environment)
  .and("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")
  .and("RAZORPAY_KEY_ID", "RAZORPAY_KEY_SECRET", "RAZORPAY_WEBHOOK_SECRET")
  .and("SMTP_URL", "MAIL_FROM")
  .and("ADMIN_EMAIL", "ADMIN_PASSWORD")
  .unknown(true);

export const variableNames = Object.keys(environment) as VariableName[];

/** What the schema says of a variable. */
export function describeVariable(name: VariableName): Required<About> & { fallback: string | undefined } {
  const { examples, metas, flags } = environment[name].describe() as {
    examples: [string];
    metas: [{ wanted: string; secrecy: Secrecy }];
    flags: { description: string; default?: unknown };
  };
  const fallback = flags.default === undefined ? undefined : String(flags.default);
  return {
    purpose: flags.description,
    wanted: metas[0].wanted,
    secrecy: metas[0].secrecy,
    example: examples[0],
    fallback,
  };
}
