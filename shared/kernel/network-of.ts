import { isIPv4, isIPv6, SocketAddress } from "node:net";

/**
 * Returns an IPv4 address as it is, also when it is written as an IPv6 address, and the /64 network of other IPv6
 * addresses, because one host may have all of them. It is the same for all spellings of an address.
 */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  // The address in one of its many spellings, without a zone.
  const { address } = new SocketAddress({ address: ip, family: "ipv6" });
  const mapped = address.replace(/^::ffff:/, "");
  if (isIPv4(mapped)) return mapped;
  const [head = "", tail = ""] = address.split("::");
  const [left, right] = [head, tail].map((part) => part.split(":").filter(Boolean)) as [string[], string[]];
  const zeros = new Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return groups.join(":");
}

/**
 * Returns the /24 network of an IPv4 address, and the /56 of an IPv6 address: about what one household or office has.
 */
export function neighbourhoodOf(ip: string): string {
  const network = networkOf(ip);
  if (isIPv4(network)) return network.slice(0, network.lastIndexOf("."));
  const [first, second, third, fourth = ""] = network.split(":");
  return [first, second, third, fourth.padStart(4, "0").slice(0, 2)].join(":");
}
