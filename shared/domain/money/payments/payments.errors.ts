import { DomainError } from "#shared/kernel/domain-error.ts";

export const nothingForSale = () =>
  new DomainError("ENGINE_UNAVAILABLE", "Purchases are disabled, because no payment provider is configured.", {
    retryAfter: 3600,
  });
export const packageNotSold = () => new DomainError("NOT_FOUND", "This package isn't for sale.");
/** `retryAfter`: seconds until the oldest of them expires. */
export const tooManyOpenOrders = (most: number, retryAfter: number) =>
  new DomainError("RATE_LIMITED", "You have {{count}} unpaid orders. Pay one of them, or wait until one expires.", {
    values: { count: most },
    retryAfter,
  });
export const noSuchOrder = () => new DomainError("NOT_FOUND", "This order doesn't exist.");
export const noReceipt = () => new DomainError("NOT_FOUND", "This order has no receipt, because it wasn't paid.");
export const signatureInvalid = () => new DomainError("PAYMENT_SIGNATURE_INVALID");
export const orderClosed = () =>
  new DomainError("ORDER_NOT_PAYABLE", "The order wasn't opened at the payment provider in time. Create a new order.");
export const notCaptured = () => new DomainError("ORDER_NOT_PAYABLE", "The payment hasn't been captured.");
export const paymentDoesNotFit = () =>
  new DomainError("CONFLICT", "The payment is for a different order, amount, or currency.");
