import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { DemoApple } from "#shared/domain/money/stores/apple/demo-apple.ts";
import { clock } from "#shared/kernel/clock.ts";
import { FakeOcsp } from "#shared/testing/fakes/fake-ocsp.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { AppleStore } from "./apple-store.ts";

describe("what Apple has signed, with questions about its certificates", () => {
  let apple: DemoApple;
  let responder: FakeOcsp;
  let store: AppleStore;
  before(async () => {
    apple = await DemoApple.start();
    responder = await FakeOcsp.start(apple);
    store = new AppleStore({
      environment: "sandbox",
      bundleId: apple.bundleId,
      rootCertificates: [apple.rootCertificate],
      onlineChecks: true,
    });
  });
  after(() => responder.stop());

  const verified = async (chain: Awaited<ReturnType<FakeOcsp["chain"]>>) =>
    outcomeOf(store.transaction(await apple.sign({ ...apple.transaction("a.b"), signedDate: clock.now() }, chain)));

  it("is believed while they are good", async () => {
    expect(await verified(await responder.chain())).to.equal("ok");
  });

  it("is refused when one of them is revoked or unknown", async () => {
    const chains = await Promise.all(
      (["leaf", "intermediate"] as const).map((revoked) => responder.chain({ revoked })),
    );
    const unknown = await responder.chain({ unknown: "leaf" });
    for (const chain of [...chains, unknown]) expect(await verified(chain)).to.equal("PAYMENT_SIGNATURE_INVALID");
  });

  it("is refused without an address to ask at", async () => {
    expect(await verified(await apple.chain())).to.equal("PAYMENT_SIGNATURE_INVALID");
  });

  it("is to be presented again when Apple is away or fails", async () => {
    const failing = createServer((_request, response) => response.writeHead(500).end());
    await once(failing.listen(0, "127.0.0.1"), "listening");
    const { port } = failing.address() as AddressInfo;
    for (const url of [`http://127.0.0.1:${port}`, "http://127.0.0.1:1"]) {
      const chain = await apple.chain({ askedAt: { leaf: url, intermediate: url } });
      expect(await verified(chain)).to.equal("ENGINE_UNAVAILABLE");
    }
    failing.close();
  });
});
