import { DomainError } from "#shared/kernel/domain-error.ts";

export const noSuchConversation = () => new DomainError("NOT_FOUND", "There is no such conversation.");
/** Also for somebody who exists: whom one has blocked, or who has blocked one, is not there. */
export const noSuchPeer = () => new DomainError("NOT_FOUND", "There is no such person.");
export const peerGone = () => new DomainError("NOT_FOUND", "This person's account is not active.");
export const notToOneself = () => new DomainError("FORBIDDEN", "Nobody converses with himself.");
export const takesNoMessages = () => new DomainError("FORBIDDEN", "This person does not take messages from you.");

const nothingToSay = { field: "body", message: "body is not allowed to be empty without an attachment_url" };
export const emptyMessage = () =>
  new DomainError("VALIDATION_ERROR", nothingToSay.message, { details: [nothingToSay] });

/** `retryAfter`: seconds until the first of the last day's conversations is a day old. */
export const tooManyNew = (retryAfter: number) =>
  new DomainError("RATE_LIMITED", "You have begun too many conversations today.", { retryAfter });
