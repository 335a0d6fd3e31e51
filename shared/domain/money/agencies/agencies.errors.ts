import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";

export const ownerOnly = () => new DomainError("FORBIDDEN", "Only the owner of the agency can do this.");
export const agencySuspended = () => new DomainError("FORBIDDEN", "This agency is suspended.");
export const ownerIsNoHost = () => new DomainError("CONFLICT", "The owner of an agency can't be a host of one.");
export const hasContract = () => new DomainError("CONFLICT", "The host has a contract already. It must end first.");
export const isInvited = () => new DomainError("CONFLICT", "This user is invited already.");
export const tooManyInvitations = (most: number) =>
  new DomainError("CONFLICT", "An agency can have {{count}} pending invitations.", { values: { count: most } });
export const tooManyStaff = (most: number) =>
  new DomainError("CONFLICT", "An agency can have {{count}} people on its staff.", { values: { count: most } });
export const invitationClosed = (status: string) =>
  new DomainError("CONFLICT", "This invitation is {{status}}.", { values: { status } });
export const contractEnds = () => new DomainError("CONFLICT", "This contract ends already.");
export const notYourself = () => invalidFields([{ field: "user_id", text: "You are the owner of this agency" }]);
