import pino, { type Logger } from "pino";
import { traceIds } from "./tracing.ts";

/** Keys that are redacted from logged objects. */
const secretKeys = [
  "authorization",
  "cookie",
  "password",
  "confirm_password",
  "token",
  "accessToken",
  "refreshToken",
  "secret",
  "secret_key",
];

const redactPaths = [
  ...secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
  // Redis errors contain the failed command. For AUTH, that includes the password.
  "err.command.args",
];

export type { Logger };

/**
 * The same warning or error is logged at most this often in a period of `repeatMs`; the next one says how many were
 * left out.
 */
const repeatsMax = 20;
const repeatMs = 10_000;
const warnLevel = 40;
/** Kinds of messages that are counted at the same time. */
const kindsMax = 500;

/** Returns what decides whether messages are the same: the text and the kind of the error, without what varies. */
function kindOf([first, text]: readonly unknown[]): string {
  const { err, topic, job } = (typeof first === "object" && first !== null ? first : {}) as Record<string, unknown>;
  const { name, code } = (typeof err === "object" && err !== null ? err : {}) as Record<string, unknown>;
  return [typeof first === "string" ? first : text, name, code, topic, job].join(" ");
}

/** Limits how often the same problem is logged, such as by every call while the database is away. */
class Repeats {
  readonly #counts = new Map<string, { sinceMs: number; count: number }>();

  /** Returns how many messages like this were left out before it; undefined if it is to be left out itself. */
  count(kind: string, nowMs = performance.now()): number | undefined {
    const seen = this.#counts.get(kind);
    if (seen && nowMs - seen.sinceMs < repeatMs) {
      seen.count += 1;
      return seen.count > repeatsMax ? undefined : 0;
    }
    // The oldest kind goes first: a map keeps the order of insertion.
    this.#counts.delete(kind);
    if (this.#counts.size >= kindsMax) this.#counts.delete(this.#counts.keys().next().value!);
    this.#counts.set(kind, { sinceMs: nowMs, count: 1 });
    return Math.max(0, (seen?.count ?? 0) - repeatsMax);
  }
}

/**
 * The process's logger. Writes JSON lines, or readable lines to a terminal. `configureLogger` replaces it, so always
 * use the import and never keep a copy.
 */
export let logger: Logger = pino({ level: "silent" });

export function configureLogger(options: {
  level: string;
  pretty: boolean;
  destination?: pino.DestinationStream;
}): void {
  const repeats = new Repeats();
  const settings: pino.LoggerOptions = {
    level: options.level,
    hooks: {
      logMethod(args, method, level) {
        const omitted = level < warnLevel ? 0 : repeats.count(kindOf(args));
        if (omitted === undefined) return;
        if (omitted > 0) this.info({ omitted, message: args[1] ?? args[0] }, "similar messages were left out");
        method.apply(this, args);
      },
    },
    redact: { paths: redactPaths, censor: "[redacted]" },
    base: null,
    mixin: traceIds,
  };
  if (options.destination) logger = pino(settings, options.destination);
  else if (options.pretty)
    logger = pino({ ...settings, transport: { target: "pino-pretty", options: { translateTime: "HH:MM:ss.l" } } });
  else logger = pino(settings);
}

// Sequelize reports lost connections of transactions with console.warn. Route these messages to the log.
console.warn = (...parts: unknown[]) => logger.warn({ from: "console" }, parts.map(String).join(" "));
