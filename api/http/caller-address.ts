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
