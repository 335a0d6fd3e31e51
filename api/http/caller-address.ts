import { isIP } from "node:net";
import type { Request } from "express";

/** The parts of a request that say where it comes from. */
export type Connected = Pick<Request, "ip"> & { readonly socket?: { readonly remoteAddress?: string | undefined } };

/**
 * Returns the IP address of the caller: that of the connection, or the one that a trusted proxy (`TRUSTED_PROXIES`)
 * names, if it is an address. What a proxy can be made to say otherwise is never counted by or stored.
 */
export const callerAddress = ({ ip, socket }: Connected): string =>
  ip && isIP(ip) ? ip : (socket?.remoteAddress ?? "");

/** Returns a caller with the address that they come from, which is read only on demand: it is parsed from a header. */
export const cameBy = ({ userId, sessionId }: { userId: string; sessionId?: string }, req: Connected) => ({
  userId,
  ...(sessionId && { sessionId }),
  get address() {
    return callerAddress(req);
  },
});
