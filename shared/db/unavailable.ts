import { DomainError } from "#shared/kernel/domain-error.ts";
import { sqlState } from "./transaction.ts";

/** SQLSTATEs, and names of Sequelize's errors, that mean: busy or unreachable, try again. */
const states = new Set(["55P03", "57014", "57P01", "57P02", "57P03", "53300", "40001", "40P01", "25P03"]);
const names = /^Sequelize(Connection\w*|HostNot\w*)Error$/;
/** Messages of `pg`, which has no codes for them: the connection is lost, or the database doesn't respond. */
const messages =
  /^(Query read timeout|Connection terminated|timeout expired|Client has encountered a connection error)/;
/** Codes of the network. */
const codes = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"]);

/** Converts an error of a busy or unreachable database to a `DomainError`; undefined for any other error. */
export function toUnavailableError(error: unknown): DomainError | undefined {
  if (!states.has(sqlState(error) ?? "") && !isUnreachable(error)) return undefined;
  return new DomainError("ENGINE_UNAVAILABLE", "The database is busy or unreachable.", { retryAfter: 1 });
}

/** Returns whether the database can't be reached: no statement is at fault. */
export function isUnreachable(error: unknown): boolean {
  const { name = "", message = "", code = "", syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return names.test(name) || messages.test(message) || (syscall !== undefined && codes.has(code)) || isPooler(error);
}

/**
 * PgBouncer ends a connection with this SQLSTATE when it has lost its server, or gets none in time. PostgreSQL has it
 * for wrong statements, but ends nothing then.
 */
const isPooler = (error: unknown): boolean =>
  sqlState(error) === "08P01" && (error as { severity?: string }).severity === "FATAL";
