import pino, { type Logger } from "pino";

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
 * The process's logger. Writes JSON lines, or readable lines to a terminal. `configureLogger` replaces it, so always use the
 * import and never keep a copy.
 */
export let logger: Logger = pino({ level: "silent" });

export function configureLogger(options: {
  level: string;
  pretty: boolean;
  destination?: pino.DestinationStream;
}): void {
  const settings = {
    level: options.level,
    redact: { paths: redactPaths, censor: "[redacted]" },
    base: null,
  };
  if (options.destination) logger = pino(settings, options.destination);
  else if (options.pretty)
    logger = pino({ ...settings, transport: { target: "pino-pretty", options: { translateTime: "HH:MM:ss.l" } } });
  else logger = pino(settings);
}

// Sequelize reports lost connections of transactions with console.warn. Route these messages to the log.
console.warn = (...parts: unknown[]) => logger.warn({ from: "console" }, parts.map(String).join(" "));
