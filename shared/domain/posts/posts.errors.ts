import { DomainError } from "#shared/kernel/domain-error.ts";

/** Also for a post that is there and not the viewer's to see: the two cannot be told apart. */
export const noSuchPost = () => new DomainError("NOT_FOUND", "There is no such post.");
export const notYourPost = () => new DomainError("FORBIDDEN", "Only its author may delete a post.");
export const noSuchComment = () => new DomainError("NOT_FOUND", "There is no such comment.");
export const notYourComment = () =>
  new DomainError("FORBIDDEN", "Only its writer and the author of the post may delete a comment.");
