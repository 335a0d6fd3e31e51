import { assert } from "./assert.ts";

let address: string | undefined;

/** Says where people reach the service, such as `https://api.example.com`; at the start, once that is known. */
export function setPublicAddress(url: string): void {
  address = url.replace(/\/+$/, "");
}

/** What links that leave the service begin with; without a slash at its end. */
export function publicAddress(): string {
  assert(address, "the public address is known");
  return address;
}
