import { DomainError } from "#shared/kernel/domain-error.ts";

/** Also used for an existing game that is hidden from the viewer: clients must not be able to distinguish the two. */
export const noSuchGame = () => new DomainError("NOT_FOUND", "This game doesn't exist.");
export const noSuchLobby = () => new DomainError("NOT_FOUND", "This lobby doesn't exist.");
