import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";

export const noSuchConversation = () => new DomainError("NOT_FOUND", "This conversation doesn't exist.");
/** Also used for an existing user when a block stands between the two: they must not learn of each other. */
export const noSuchPeer = () => new DomainError("NOT_FOUND", "This user doesn't exist.");
export const peerInactive = () => new DomainError("NOT_FOUND", "This user's account isn't active.");
export const conversationWithYourself = () =>
  new DomainError("FORBIDDEN", "You can't open a conversation with yourself.");
export const messagesNotAccepted = () => new DomainError("FORBIDDEN", "This user doesn't accept messages from you.");

export const emptyMessage = () =>
  invalidFields([{ field: "body", text: "body is not allowed to be empty without an attachment_url" }]);

export const noSuchMessage = () => new DomainError("NOT_FOUND", "This message doesn't exist.");

/** `retryAfter`: seconds until the oldest of these conversations is 24 hours old. */
export const tooManyConversations = (retryAfter: number) =>
  new DomainError("RATE_LIMITED", "You have opened too many conversations in the last 24 hours.", { retryAfter });
