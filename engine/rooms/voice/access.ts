import type { RoomRole } from "#shared/contracts/views.ts";
import { assertNotSanctioned } from "#shared/domain/identity/sanctions/active-sanctions.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type Ask, userOf } from "../../core/decision.ts";
import type { Membership, RoomData } from "./room-data.ts";

/** Returns the caller, who is in the room. @throws NOT_A_MEMBER */
export function accessMember(data: RoomData, ask: Ask<unknown>): { userId: string; membership: Membership } {
  const { userId } = userOf(ask);
  return { userId, membership: data.memberOf(userId) };
}

/**
 * Returns the caller's role in the room, which they may have without being in it.
 * @throws NOT_A_MEMBER for a stranger
 */
function roleOf(data: RoomData, ask: Ask<unknown>): { userId: string; role: RoomRole } {
  const { userId } = userOf(ask);
  const role = data.roleOf(userId);
  if (role === null) throw new DomainError("NOT_A_MEMBER", "You aren't in this room.");
  return { userId, role };
}

/** Returns the caller, who runs the room (in it or not). @throws FORBIDDEN, NOT_A_MEMBER for a stranger */
export function accessRunner(data: RoomData, ask: Ask<unknown>): { userId: string; isHost: boolean } {
  const { userId, role } = roleOf(data, ask);
  if (role === "member") throw new DomainError("FORBIDDEN", "Only the host and moderators can do this.");
  return { userId, isHost: role === "host" };
}

/** @throws FORBIDDEN, NOT_A_MEMBER for a stranger */
export function accessHost(data: RoomData, ask: Ask<unknown>): { userId: string } {
  const { userId, role } = roleOf(data, ask);
  if (role !== "host") throw new DomainError("FORBIDDEN", "Only the host can do this.");
  return { userId };
}

/**
 * Lets the host, an administrator, or the service change the room itself.
 * @throws FORBIDDEN, NOT_A_MEMBER for others
 */
export function assertManages(data: RoomData, ask: Ask<unknown>): void {
  if (ask.principal.kind !== "admin" && ask.principal.kind !== "service") accessHost(data, ask);
}

/**
 * Asserts that a host or moderator may act on a user: the host on anyone else, a moderator on members.
 * @throws FORBIDDEN
 */
export function assertOutranks(data: RoomData, runner: { userId: string; isHost: boolean }, targetId: string): void {
  if (targetId === runner.userId) throw new DomainError("FORBIDDEN", "You can't do this to yourself.");
  const target = data.roleOf(targetId);
  if (target === "host") throw new DomainError("FORBIDDEN", "You can't do this to a host.");
  if (target === "moderator" && !runner.isHost) throw new DomainError("FORBIDDEN", "You can't do this to a moderator.");
}

/** Returns a member named by a host or moderator. @throws NOT_FOUND */
export function accessTarget(data: RoomData, userId: string): Membership {
  const membership = data.members.get(userId);
  if (!membership) throw new DomainError("NOT_FOUND", "This user isn't in the room.");
  return membership;
}

/**
 * Asserts that the host or a moderator may tell people something beside messages, such as an announcement: a sanction
 * that keeps them from writing messages keeps them from that, too. To take a text away, they may.
 * @throws SANCTIONED with the reason
 */
export function assertMayTell({ principal }: Ask<unknown>, texts: readonly (string | null | undefined)[]): void {
  if (principal.kind === "user" && texts.some(Boolean)) assertNotSanctioned(principal, "room:message");
}
