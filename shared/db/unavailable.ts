import { DomainError } from "#shared/kernel/domain-error.ts";
import { sqlState } from "./transaction.ts";

/** SQLSTATEs, and names of Sequelize's errors, that mean: busy or unreachable, try again. */
const states = new Set(["55P03", "57014", "57P01", "57P02", "57P03", "53300", "40001", "40P01", "25P03"]);
const names = /^Sequelize(Connection\w*|HostNot\w*)Error$/;

/** Converts an error of a busy or unreachable database to a `DomainError`; undefined for any other error. */
export function toUnavailableError(error: unknown): DomainError | undefined {
  const { name } = (error ?? {}) as { name?: string };
  if (!states.has(sqlState(error) ?? "") && !names.test(name ?? "")) return undefined;
  return new DomainError("ENGINE_UNAVAILABLE", "The database is busy or unreachable.", { retryAfter: 1 });
}
