import { DomainError } from "#shared/kernel/domain-error.ts";

export const notOnesOwn = () => new DomainError("FORBIDDEN", "You can't report yourself or your own content.");
export const reportedAlready = () =>
  new DomainError("CONFLICT", "You have already reported this, and the report is still open.");
