import { logger } from "#shared/kernel/logger.ts";

/** What Colyseus says of connections to Redis, which log that themselves. */
const saidAlready = /^RedisPresence: (pub|sub) connection error:/;

const say =
  (level: "debug" | "info" | "warn" | "error") =>
  (first?: unknown, ...rest: unknown[]) => {
    const text = [first, ...rest].map(String).join(" ").slice(0, 1000);
    logger[saidAlready.test(text) ? "debug" : level]({ from: "colyseus" }, text);
  };

/** Writes what Colyseus says into the log of the service. */
export const colyseusLogger = {
  debug: say("debug"),
  info: say("debug"),
  log: say("debug"),
  warn: say("warn"),
  error: say("warn"),
};
