import { DomainError } from "#shared/kernel/domain-error.ts";

export const notOnesOwn = () => new DomainError("FORBIDDEN", "Nobody reports himself or what is his own.");
export const reportedAlready = () =>
  new DomainError("CONFLICT", "You have reported this already; the report is still open.");
