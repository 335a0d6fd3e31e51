const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether nobody on the way reads what is sent to an address: https, or a program on this machine. */
export function isSecureAddress(text: string): boolean {
  const { protocol, hostname = "" } = URL.parse(text) ?? {};
  return protocol === "https:" || (protocol === "http:" && loopback.test(hostname));
}
