import { DomainError } from "#shared/kernel/domain-error.ts";

export const giftNotGiven = () =>
  new DomainError("NOT_FOUND", "The gift is not on sale, or its recipient cannot be given one.");
/** Also for a recipient who exists: people outside the room are not the sender's to know of. */
export const recipientNotHere = () => new DomainError("NOT_FOUND", "The recipient is not in this room.");
export const senderNotHere = () => new DomainError("NOT_A_MEMBER", "Join the room before you send gifts in it.");
export const notToOneself = () => new DomainError("FORBIDDEN", "Nobody sends gifts to himself.");
