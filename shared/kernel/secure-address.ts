const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Returns whether a URL is safe for secrets: it uses https, or a loopback address of this machine. */
export function isSecureAddress(text: string): boolean {
  const { protocol, hostname = "" } = URL.parse(text) ?? {};
  return protocol === "https:" || (protocol === "http:" && loopback.test(hostname));
}
