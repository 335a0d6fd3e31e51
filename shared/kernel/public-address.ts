import { assert } from "./assert.ts";

let address: string | undefined;

/** Sets the public URL of the service, such as `https://api.example.com`. Called once the service listens. */
export function setPublicAddress(url: string): void {
  address = url.replace(/\/+$/, "");
}

/** Returns the base URL of public links, without a trailing slash. */
export function publicAddress(): string {
  assert(address, "the public address is known");
  return address;
}

/** Returns the URL of the documentation of an error code: relative, as long as the service doesn't listen. */
export const docUrlOf = (code: string): string => `${address ?? ""}/docs/errors#${code}`;
