import { DomainError } from "#shared/kernel/domain-error.ts";

export const offerGone = () =>
  new DomainError("CONFLICT", "This offer is no longer available for this package. Reload the packages.");
/** The same whether there is no such code or it isn't the caller's. */
export const noSuchCoupon = () => new DomainError("NOT_FOUND", "This coupon doesn't exist, or you can't use it.");
