import { DomainError } from "#shared/kernel/domain-error.ts";

export const notYourOwn = () => new DomainError("FORBIDDEN", "You can't report yourself or your own content.");
export const alreadyReported = () =>
  new DomainError("CONFLICT", "You have already reported this, and the report is still open.");
