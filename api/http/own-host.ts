import { isIP } from "node:net";
import type { RequestHandler } from "express";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";

/**
 * Hides what is behind it from calls to a foreign host name. A page on the internet can point its own name to this
 * machine, and would then be of the same origin; it can't do that with an address.
 */
export const ownHostOnly: RequestHandler = (req, _res, next) => {
  const { hostname = "" } = URL.parse(`http://${req.headers.host}`) ?? {};
  const isOwn =
    isIP(hostname.replace(/^\[|\]$/g, "")) > 0 ||
    hostname === "localhost" ||
    hostname === URL.parse(publicAddress())?.hostname;
  next(isOwn ? undefined : new DomainError("NOT_FOUND"));
};
