import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import { peerAddress } from "./peer-address.ts";

describe("peerAddress", () => {
  const come = (remoteAddress: string, forwarded?: string) =>
    ({
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    }) as unknown as IncomingMessage;

  it("believes trusted proxies only", () => {
    const cases: [trusted: string[], remote: string, forwarded: string | undefined, address: string][] = [
      [[], "10.0.0.1", undefined, "10.0.0.1"],
      [[], "10.0.0.1", "203.0.113.9", "10.0.0.1"],
      [["10.0.0.0/8"], "10.0.0.1", "203.0.113.9", "203.0.113.9"],
      [["10.0.0.0/8"], "10.0.0.1", "198.51.100.7, 203.0.113.9", "203.0.113.9"],
      [["10.0.0.0/8"], "10.0.0.1", "203.0.113.9, 10.0.0.2", "203.0.113.9"],
      [["10.0.0.0/8"], "192.0.2.1", "203.0.113.9", "192.0.2.1"],
      [["10.0.0.0/8"], "10.0.0.1", "<script>", "10.0.0.1"],
      [["10.0.0.0/8"], "10.0.0.1", "", "10.0.0.1"],
    ];
    for (const [trusted, remote, forwarded, address] of cases)
      expect(peerAddress(trusted)(come(remote, forwarded)), `${remote} ${forwarded}`).to.equal(address);
  });
});
