import type { AgeBand } from "./age-rights.ts";
import type { Permission } from "./permissions.ts";

/**
 * Who does something: a user, an administrator, a holder of API keys, or the service itself. Authenticated by an edge;
 * nothing in an input ever says who the caller is. An anonymous caller is no principal: where one may call, the type
 * says `UserPrincipal | null`. (An *actor* always means a room's actor.)
 */
export type Principal = UserPrincipal | AdminPrincipal | KeyHolderPrincipal | ServicePrincipal;

export interface UserPrincipal {
  readonly kind: "user";
  readonly userId: string;
  readonly sessionId: string;
  /** The IP address that the call or the connection comes from, if it is known. */
  readonly address?: string;
  /** Expiry of the access token, milliseconds since 1970. */
  readonly expiresAtMs: number;
  /** When the token was issued. A guest who has become a user is one with their next token. */
  readonly isGuest?: true;
  /** When the token was issued: the age band of a minor, or whether the account is frozen. See `currentAge`. */
  readonly age?: AgeBand | "frozen";
  /** When the token was issued: the version of the terms that they accepted last. */
  readonly terms?: string;
  /** Of a bot: the server of the operator that acts as it. */
  readonly actedBy?: AdminPrincipal;
}

/** An administrator, and the call by which they act: its audit entry names all of it. */
export interface AdminPrincipal {
  readonly kind: "admin";
  readonly adminId: string;
  readonly sessionId: string;
  readonly role: string;
  /** What the role allows at the time of the call. */
  readonly permissions: readonly Permission[];
  readonly hasSecondFactor: boolean;
  readonly ip: string;
  readonly userAgent: string;
  readonly requestId: string;
  /** A server of the operator calls in the name of the administrator who created its key, with what the key allows. */
  readonly serverKey?: ServerKey;
}

export interface ServerKey {
  readonly id: string;
  readonly callsPerMinute: number;
}

/** Returns the key by which a server of the operator calls; undefined if it doesn't. */
export const serverKeyOf = (caller: Principal | null): ServerKey | undefined =>
  caller?.kind === "admin" ? caller.serverKey : caller?.kind === "user" ? caller.actedBy?.serverKey : undefined;

/**
 * A stranger who tries to log in as an administrator. Not a principal; the audit log names where the call came from.
 */
export interface AdminVisitor extends Pick<AdminPrincipal, "ip" | "userAgent" | "requestId"> {
  readonly kind: "visitor";
}

/** A program that calls with a user's API keys. */
export interface KeyHolderPrincipal {
  readonly kind: "key_holder";
  readonly keyId: string;
  /** The owner of the keys. */
  readonly userId: string;
  /** The owner's age band now, if they are a minor, or whether their account is frozen. */
  readonly age?: AgeBand | "frozen";
}

/** The service itself: jobs, reactions to domain events, the bridge, the command line. */
export interface ServicePrincipal {
  readonly kind: "service";
}

export const service: ServicePrincipal = Object.freeze({ kind: "service" });

/** The id that a principal's calls are counted and remembered by. No two kinds share one: ids are UUIDs. */
export function principalId(principal: Principal): string {
  switch (principal.kind) {
    case "user":
      return principal.userId;
    case "admin":
      return principal.adminId;
    case "key_holder":
      return principal.keyId;
    case "service":
      return principal.kind;
  }
}
