import { DomainError } from "#shared/kernel/domain-error.ts";

export const notOneself = (what: string) => new DomainError("FORBIDDEN", `Nobody ${what} himself.`);
export const friendsAlready = () => new DomainError("CONFLICT", "You are friends already.");
export const takesNoRequests = () => new DomainError("FORBIDDEN", "This person takes no friend requests.");
export const tooMany = (what: string, most: number) => new DomainError("CONFLICT", `At most ${most} ${what}.`);
export const notTheRecipient = () =>
  new DomainError("FORBIDDEN", "Only whoever was asked may answer a friend request.");
export const notTheSender = () =>
  new DomainError("FORBIDDEN", "Only whoever has asked may take a friend request back.");
