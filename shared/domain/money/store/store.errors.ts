import { DomainError } from "#shared/kernel/domain-error.ts";

export const frameNotOnSale = () => new DomainError("NOT_FOUND", "This frame doesn't exist or isn't for sale.");
export const frameAlreadyOwned = () => new DomainError("ALREADY_OWNED", "You already own this frame.");
export const frameNotOwned = () => new DomainError("NOT_OWNED", "You don't own this frame, or it has expired.");
export const priceChanged = () => new DomainError("CONFLICT", "The price has changed.");
export const planNotOnSale = () => new DomainError("NOT_FOUND", "This VIP plan doesn't exist or isn't for sale.");
export const alreadySubscribed = () => new DomainError("CONFLICT", "You already subscribe to this plan.");
