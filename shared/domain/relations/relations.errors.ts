import { DomainError } from "#shared/kernel/domain-error.ts";

export const notYourself = (verb: string) => new DomainError("FORBIDDEN", `You can't ${verb} yourself.`);
export const alreadyFriends = () => new DomainError("CONFLICT", "You are already friends.");
export const acceptsNoRequests = () => new DomainError("FORBIDDEN", "This user doesn't accept friend requests.");
export const tooMany = (message: string) => new DomainError("CONFLICT", message);
export const notTheRecipient = () => new DomainError("FORBIDDEN", "Only the recipient can answer a friend request.");
export const notTheSender = () => new DomainError("FORBIDDEN", "Only the sender can cancel a friend request.");
