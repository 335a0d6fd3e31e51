import { DomainError } from "#shared/kernel/domain-error.ts";

export const voiceNotConfigured = () => new DomainError("VOICE_NOT_CONFIGURED");
export const notInTheRoom = () => new DomainError("NOT_A_MEMBER", "You must be in the room to get a voice token.");
