import { DomainError } from "#shared/kernel/domain-error.ts";

export const nothingForSale = () =>
  new DomainError("ENGINE_UNAVAILABLE", "Nothing can be bought here: no payment provider is configured.", {
    retryAfter: 3600,
  });
export const packageNotSold = () => new DomainError("NOT_FOUND", "This package is not on sale.");
export const noSuchOrder = () => new DomainError("NOT_FOUND", "You have no such order.");
export const signatureInvalid = () => new DomainError("PAYMENT_SIGNATURE_INVALID");
export const orderClosed = () =>
  new DomainError("ORDER_NOT_PAYABLE", "The order was not opened at the payment provider in time. Create a new order.");
export const notCaptured = () => new DomainError("ORDER_NOT_PAYABLE", "The payment has not been captured.");
export const paymentDoesNotFit = () =>
  new DomainError("CONFLICT", "The payment is for another order, amount or currency.");
