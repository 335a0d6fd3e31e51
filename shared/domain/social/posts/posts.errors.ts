import { DomainError } from "#shared/kernel/domain-error.ts";

/** Also used for an existing post that is hidden from the viewer: clients must not be able to distinguish the two. */
export const noSuchPost = () => new DomainError("NOT_FOUND", "This post doesn't exist.");
export const notYourPost = () => new DomainError("FORBIDDEN", "Only the author can delete a post.");
export const noSuchComment = () => new DomainError("NOT_FOUND", "This comment doesn't exist.");
export const notYourComment = () =>
  new DomainError("FORBIDDEN", "Only the author of the comment or of the post can delete a comment.");
