import { DomainError } from "#shared/kernel/domain-error.ts";

export const receiptInvalid = () =>
  new DomainError("PAYMENT_SIGNATURE_INVALID", "The store hasn't signed this for this app and this environment.");
export const productUnknown = () => new DomainError("NOT_FOUND", "This product isn't for sale.");
export const purchasePending = () =>
  new DomainError("ORDER_NOT_PAYABLE", "The store hasn't received the money yet. It is credited when it arrives.");
export const purchaseRefunded = () => new DomainError("ORDER_NOT_PAYABLE", "The store has refunded this purchase.");
export const purchaseOfAnother = () => new DomainError("CONFLICT", "This purchase belongs to another account.");
