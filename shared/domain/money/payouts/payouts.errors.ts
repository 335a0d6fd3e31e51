import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";

export const kycRequired = () => new DomainError("KYC_REQUIRED");
export const notOffered = () => invalidFields([{ field: "method.kind", text: "You can't be paid in this way" }]);
export const fieldMissing = (name: string) =>
  invalidFields([{ field: `method.${name}`, text: "{{field}} is required" }]);
export const fieldUnused = (name: string) =>
  invalidFields([{ field: `method.${name}`, text: "{{field}} is not allowed" }]);
export const tooLittle = (least: number) =>
  invalidFields([{ field: "amount", text: "{{field}} must be at least {{least}}", values: { least } }]);
export const notMatured = (available: number) =>
  new DomainError("INSUFFICIENT_BALANCE", "{{amount}} can be paid out now. What you got of late is maturing.", {
    values: { amount: available },
  });
export const inDebt = (debt: number) =>
  new DomainError(
    "CONFLICT",
    "You owe {{amount}} coins of refunded purchases. Your next purchase of coins pays them; payouts come after.",
    {
      values: { amount: debt },
    },
  );
export const tooManyOpen = (most: number) =>
  new DomainError("CONFLICT", "{{most}} of your payouts are open. Wait until one has ended.", {
    values: { most },
  });
export const paidEnough = (most: number, retryAfter: number) =>
  new DomainError("RATE_LIMITED", "{{amount}} can be paid out to you in this time.", {
    values: { amount: most },
    retryAfter,
  });
