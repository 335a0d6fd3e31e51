import { DomainError } from "#shared/kernel/domain-error.ts";

/** Also for a room that exists and is hidden from the viewer: clients must not be able to distinguish the two. */
export const noSuchRoom = () => new DomainError("NOT_FOUND", "This room doesn't exist.");
export const notInRoom = () => new DomainError("NOT_A_MEMBER", "You aren't in this room.");
