import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** What IPv6 has allocated to the internet. Everything else is reserved, or an IPv4 address in another form. */
const allocated = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Returns whether an IP address is one of the internet: not private, loopback, link-local, multicast, reserved, or one
 * that another address is embedded in (IPv4-mapped, NAT64, 6to4, Teredo).
 */
export function isInternetAddress(address: string): boolean {
  // The library also takes short forms, such as 127.1.
  if (!isIP(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || (parsed as ipaddr.IPv6).match(allocated);
}

/** Returns whether an IP address is this machine's own, `127.0.0.1` or `::1`. */
export const isLoopbackAddress = (address: string): boolean =>
  isIP(address) !== 0 && ipaddr.parse(address).range() === "loopback";

/** Where AWS, Google, Alibaba, Oracle, and Azure tell a machine its credentials beside link-local addresses. */
const toldByClouds = new Set(["fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"]);

/**
 * Returns whether an IP address is of this link only, such as the one by which a cloud tells a machine its credentials,
 * or another one of those.
 */
export function isLinkLocalAddress(address: string): boolean {
  if (!isIP(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === "linkLocal" || toldByClouds.has(parsed.toString());
}
