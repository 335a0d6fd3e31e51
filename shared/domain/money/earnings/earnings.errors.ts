import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";

export const exchangeClosed = () => new DomainError("FORBIDDEN", "Earnings can't be exchanged.");
export const notAvailable = (available: number) =>
  new DomainError("INSUFFICIENT_BALANCE", "You can exchange {{amount}} now. What you got of late is maturing.", {
    values: { amount: available },
  });
export const tooFew = (least: number) =>
  invalidFields([{ field: "amount", text: "{{field}} must be at least {{least}}", values: { least } }]);
/** `retryAfter`: seconds until some of them are longer ago than a day. */
export const exchangedEnough = (most: number, retryAfter: number) =>
  new DomainError("RATE_LIMITED", "You can exchange {{amount}} in 24 hours.", { values: { amount: most }, retryAfter });
