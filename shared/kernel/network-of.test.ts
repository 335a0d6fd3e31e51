import { expect } from "chai";
import { neighbourhoodOf, networkOf } from "./network-of.ts";

/** A network, and spellings of addresses in it. */
const spellings = {
  "203.0.113.9": [
    "203.0.113.9",
    "::ffff:203.0.113.9",
    "::FFFF:cb00:7109",
    "::203.0.113.9",
    "0:0:0:0:0:ffff:203.0.113.9",
    "0000:0000:0000:0000:0000:ffff:cb00:7109",
  ],
  "2001:db8:0:a": ["2001:db8:0:a::1", "2001:DB8::A:0:0:0:2", "2001:0db8:0000:000a:ffff:ffff:ffff:ffff"],
  "2001:db8:0:0": ["2001:db8::1", "2001:db8:0:0::", "2001:db8::ffff:203.0.113.9"],
  "fe80:0:0:0": ["fe80::1", "fe80::1%eth0"],
  "0:0:0:0": ["::", "::1"],
};

describe("networkOf", () => {
  for (const [network, addresses] of Object.entries(spellings))
    it(`is ${network} in all spellings of its addresses`, () => {
      expect(new Set(addresses.map(networkOf))).to.deep.equal(new Set([network]));
    });
});

describe("neighbourhoodOf", () => {
  it("is the /24 of an IPv4 address and the /56 of an IPv6 address", () => {
    expect(["203.0.113.9", "::ffff:cb00:71ff", "2001:db8:0:a1f::1", "2001:db8::1"].map(neighbourhoodOf)).to.deep.equal([
      "203.0.113",
      "203.0.113",
      "2001:db8:0:0a",
      "2001:db8:0:00",
    ]);
  });
});
