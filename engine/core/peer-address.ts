import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import express from "express";

/**
 * Returns a function that finds the IP address that a connection comes from: that of its socket, or the one that
 * trusted proxies name, as Express does for requests.
 */
export function peerAddress(trustedProxies: readonly string[]): (req: IncomingMessage) => string {
  const app = express().set("trust proxy", [...trustedProxies]);
  const trusts = app.get("trust proxy fn") as (address: string, hop: number) => boolean;

  return ({ socket: { remoteAddress = "" }, headers }) => {
    const forwarded = String(headers["x-forwarded-for"] ?? "").split(",");
    const hops = [remoteAddress, ...forwarded.map((address) => address.trim()).reverse()];
    const address = hops.find((each, hop) => !trusts(each, hop)) ?? "";
    return isIP(address) ? address : remoteAddress;
  };
}
