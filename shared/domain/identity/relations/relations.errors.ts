import { DomainError } from "#shared/kernel/domain-error.ts";

const notYourself = {
  block: "You can't block yourself.",
  follow: "You can't follow yourself.",
  befriend: "You can't befriend yourself.",
  unfriend: "You can't unfriend yourself.",
} as const;
export const notToYourself = (what: keyof typeof notYourself) => new DomainError("FORBIDDEN", notYourself[what]);
export const alreadyFriends = () => new DomainError("CONFLICT", "You are already friends.");
export const acceptsNoRequests = () => new DomainError("FORBIDDEN", "This user doesn't accept friend requests.");
export const tooManyBlocks = (count: number) =>
  new DomainError("CONFLICT", "You can block at most {{count}} users.", { values: { count } });
export const tooManyFollows = (count: number) =>
  new DomainError("CONFLICT", "You can follow at most {{count}} users.", { values: { count } });
export const tooManyRequests = (count: number) =>
  new DomainError("CONFLICT", "You can have at most {{count}} pending friend requests.", { values: { count } });
export const tooManyFriends = (count: number) =>
  new DomainError("CONFLICT", "One of you already has {{count}} friends.", { values: { count } });
export const notTheRecipient = () => new DomainError("FORBIDDEN", "Only the recipient can answer a friend request.");
export const notTheSender = () => new DomainError("FORBIDDEN", "Only the sender can cancel a friend request.");
