import ipaddr from "ipaddr.js";

/**
 * Returns an IPv4 address as it is, also when it is written as an IPv6 address, and the /64 network of other IPv6
 * addresses, because one host may have all of them. It is the same for all spellings of an address.
 */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  // Turns an IPv4 address that is written as an IPv6 address back.
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv6
    ? address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":")
    : address.toString();
}

/**
 * Returns the /24 network of an IPv4 address, and the /56 of an IPv6 address: about what one household or office has.
 */
export function neighbourhoodOf(ip: string): string {
  const network = networkOf(ip);
  if (ipaddr.IPv4.isIPv4(network)) return network.slice(0, network.lastIndexOf("."));
  const [first, second, third, fourth = ""] = network.split(":");
  return [first, second, third, fourth.padStart(4, "0").slice(0, 2)].join(":");
}
