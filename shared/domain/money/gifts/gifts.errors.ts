import { DomainError } from "#shared/kernel/domain-error.ts";

export const giftUnavailable = () =>
  new DomainError("NOT_FOUND", "This gift isn't for sale, or the recipient can't receive gifts.");
/** Also used for an existing user: the sender may not learn of users outside the room. */
export const recipientNotInRoom = () => new DomainError("NOT_FOUND", "The recipient isn't in this room.");
export const senderNotInRoom = () => new DomainError("NOT_A_MEMBER", "You must be in the room to send gifts.");
/** Doesn't say why: an age is personal. */
export const giftsNotAccepted = () => new DomainError("FORBIDDEN", "This user can't receive gifts.");
export const giftToYourself = () => new DomainError("FORBIDDEN", "You can't send a gift to yourself.");
