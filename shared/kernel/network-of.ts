import { isIPv4, isIPv6 } from "node:net";

/** Returns an IPv4 address as it is, and the /64 network of an IPv6 address, because one host may have all its addresses. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  if (mapped) return mapped[1]!;
  const [head = "", tail = ""] = ip.split("%")[0]!.split("::");
  const [left, right] = [head, tail].map((part) => part.split(":").filter(Boolean)) as [string[], string[]];
  const zeros = new Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return groups.map((group) => group.toLowerCase().replace(/^0+(?=.)/, "")).join(":");
}

/** Returns the /24 network of an IPv4 address, and the /56 of an IPv6 address: about what one household or office has. */
export function neighbourhoodOf(ip: string): string {
  const network = networkOf(ip);
  if (isIPv4(network)) return network.slice(0, network.lastIndexOf("."));
  const [first, second, third, fourth = ""] = network.split(":");
  return [first, second, third, fourth.padStart(4, "0").slice(0, 2)].join(":");
}
