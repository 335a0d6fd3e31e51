import pino, { type Logger } from "pino";

/** Paths that never reach a log line, wherever they stand in a logged object. */
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
  // Errors of Redis carry the command that was refused: with AUTH, the password.
  "err.command.args",
];

export type { Logger };

/**
 * The process's logger: JSON lines, or readable lines on a terminal.
 * Replaced as a whole by `configureLogger`, so import it and call it, never keep a copy.
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

// Sequelize prints what becomes of a transaction whose connection is lost: that is a line of the log like any other.
console.warn = (...parts: unknown[]) => logger.warn({ from: "console" }, parts.map(String).join(" "));
