import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type Joi from "joi";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import {
  describeVariable,
  type Environment,
  environmentSchema,
  type Role,
  type VariableName,
  variableNames,
} from "./environment.ts";
import type { Secrecy } from "./environment-fields.ts";
import { type ServiceAccount, serviceAccountOf } from "./environment-push.ts";

/** What the process was told, checked and frozen. Read once, by `main.ts`; handed to whoever needs a part. */
export interface Config {
  readonly environment: Environment["NODE_ENV"];
  readonly host: string;
  readonly port: number;
  /** Where people reach the service; absent: where it listens. */
  readonly publicUrl?: string;
  /** Absolute. */
  readonly dataDir: string;
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
  readonly roles: readonly Role[];
  /** Absent when one is to be made and kept in `dataDir`. */
  readonly jwtSecret?: string;
  readonly admin?: { readonly email: string; readonly password: string };
  readonly rateLimits: boolean;
  /** `*` for any. */
  readonly corsOrigins: readonly string[];
  readonly livekit?: { readonly url: string; readonly apiKey: string; readonly apiSecret: string };
  readonly payments: PaymentsConfig;
  readonly mail: MailConfig;
  /** Who carries pushes to devices; absent: nobody. */
  readonly push?: ServiceAccount & { readonly baseUrl: string };
  readonly logLevel: Environment["LOG_LEVEL"];
}

/** Who carries mail and text messages; absent: nobody. */
export interface MailConfig {
  readonly smtp?: { readonly url: string; readonly from: string };
  readonly smsWebhook?: { readonly url: string; readonly token?: string };
  /** Page of the app where a new password is chosen; absent: our own. */
  readonly resetPasswordUrl?: string;
}

/** Of several secrets the first signs; all are taken. */
export interface PaymentsConfig {
  /** Who takes the money of new orders; absent: nobody, and nothing can be bought. */
  readonly provider?: "razorpay" | "sandbox";
  readonly razorpay?: {
    readonly keyId: string;
    readonly keySecrets: readonly string[];
    readonly webhookSecrets: readonly string[];
    readonly baseUrl: string;
  };
  /** What is absent is to be made and kept in `dataDir`. */
  readonly sandbox: { readonly keySecrets?: readonly string[]; readonly webhookSecrets?: readonly string[] };
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The environment is wrong. The message names every variable at fault: what it got, what is wanted, an example. */
export class ConfigError extends OperatorError {
  readonly faults: readonly { readonly name: string; readonly text: string }[];

  constructor(faults: { name: string; text: string }[]) {
    super(`The environment is wrong:\n${faults.map(({ text }) => `\n${text}`).join("\n")}`);
    this.faults = faults;
  }
}

const serviceFolder = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Reads and checks the environment.
 * @throws ConfigError with all faults at once.
 */
export function loadConfig(variables: Variables): Config {
  const read = checkedEnvironment(variables);
  return Object.freeze({
    environment: read.NODE_ENV,
    host: read.HOST,
    port: read.PORT,
    ...(read.PUBLIC_URL && { publicUrl: read.PUBLIC_URL }),
    dataDir: resolve(serviceFolder, read.DATA_DIR),
    ...(read.DATABASE_URL && { databaseUrl: read.DATABASE_URL }),
    ...(read.REDIS_URL && { redisUrl: read.REDIS_URL }),
    roles: Object.freeze(read.ROLES),
    ...(read.JWT_SECRET && { jwtSecret: read.JWT_SECRET }),
    ...(read.ADMIN_EMAIL &&
      read.ADMIN_PASSWORD && { admin: Object.freeze({ email: read.ADMIN_EMAIL, password: read.ADMIN_PASSWORD }) }),
    rateLimits: read.RATE_LIMITS === "on",
    corsOrigins: Object.freeze(read.CORS_ORIGINS),
    ...(read.LIVEKIT_URL &&
      read.LIVEKIT_API_KEY &&
      read.LIVEKIT_API_SECRET && {
        livekit: Object.freeze({
          url: read.LIVEKIT_URL,
          apiKey: read.LIVEKIT_API_KEY,
          apiSecret: read.LIVEKIT_API_SECRET,
        }),
      }),
    payments: Object.freeze(paymentsOf(read)),
    mail: Object.freeze(mailOf(read)),
    ...pushOf(read),
    logLevel: read.LOG_LEVEL,
  });
}

function paymentsOf(read: Environment): PaymentsConfig {
  const { RAZORPAY_KEY_ID: keyId, RAZORPAY_KEY_SECRET: keySecrets, RAZORPAY_WEBHOOK_SECRET: webhookSecrets } = read;
  const hasKeys = keyId && keySecrets && webhookSecrets;
  const usual = hasKeys ? "razorpay" : read.NODE_ENV === "production" ? undefined : "sandbox";
  const provider = read.PAYMENT_PROVIDER ?? usual;
  return {
    ...(provider && { provider }),
    ...(hasKeys && {
      razorpay: Object.freeze({ keyId, keySecrets, webhookSecrets, baseUrl: read.RAZORPAY_BASE_URL }),
    }),
    sandbox: Object.freeze({
      ...(read.SANDBOX_KEY_SECRET && { keySecrets: read.SANDBOX_KEY_SECRET }),
      ...(read.SANDBOX_WEBHOOK_SECRET && { webhookSecrets: read.SANDBOX_WEBHOOK_SECRET }),
    }),
  };
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

function checkedEnvironment(variables: Variables): Environment {
  const { error, value } = environmentSchema.validate(variables, { abortEarly: false });
  if (!error) return value;
  const names = new Set(error.details.flatMap(namesAtFault));
  throw new ConfigError(
    variableNames.filter((name) => names.has(name)).map((name) => ({ name, text: faultText(name, variables[name]) })),
  );
}

/** Of variables that come together, those that are absent are at fault. */
function namesAtFault({ path, context }: Joi.ValidationErrorItem): string[] {
  return path.length > 0 ? [String(path[0])] : (context?.missing as string[]);
}

function faultText(name: VariableName, got: string | undefined): string {
  const { wanted, example, secrecy } = describeVariable(name);
  return [
    `  ${name}`,
    `    got:     ${got ? shown(got, secrecy) : "nothing"}`,
    `    wanted:  ${wanted}`,
    `    example: ${name}=${example}`,
  ].join("\n");
}

/** A value as it may be printed. */
function shown(value: string, secrecy: Secrecy): string {
  if (secrecy === "open") return value;
  if (secrecy === "secret") return `**** (${value.length} characters)`;
  // Works on what is no address too: whatever stands before the last @, and every password in the query.
  return value.replace(/^(\w+:\/\/)?.*@/s, "$1****@").replace(/password=[^&]*/gi, "password=****");
}

/** The text of `.env.example`. */
export function exampleEnvironment(): string {
  const entries = variableNames.map((name) => {
    const { purpose, wanted, example, fallback } = describeVariable(name);
    const lines = [purpose, `Wanted: ${wanted}.${fallback === undefined ? "" : ` Default: ${fallback}`}`];
    return `${lines.map((line) => `# ${line}\n`).join("")}# ${name}=${/\s/.test(example) ? `"${example}"` : example}\n`;
  });
  const head =
    "# What Hubbub reads from the environment; `npm start` also reads a file `.env` here. Nothing is required in development.\n" +
    "# Made by `npm run -s config -- --example`.\n";
  return [head, ...entries].join("\n");
}

/**
 * The configuration in force, a line for each variable, without secrets.
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
