import { DomainError } from "#shared/kernel/domain-error.ts";

export const frameNotSold = () => new DomainError("NOT_FOUND", "There is no such frame, or it is not on sale.");
export const frameOwned = () => new DomainError("ALREADY_OWNED", "You own this frame already.");
export const frameNotOwned = () => new DomainError("NOT_OWNED", "You do not own this frame, or no more.");
export const priceChanged = () => new DomainError("CONFLICT", "The price is another than you expected.");
export const planNotSold = () => new DomainError("NOT_FOUND", "There is no such VIP plan, or it is not on sale.");
