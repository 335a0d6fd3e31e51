import { expect } from "chai";
import { createClient, isHubbubError } from "./client.ts";

describe("payments of the typed client", () => {
  /** A client whose calls get these answers in turn; the last one for all that follow. "lost": no answer arrives. */
  const clientOf = (...answers: (object | "lost")[]) => {
    const calls: { url: string; key: string | null; body: unknown }[] = [];
    const hubbub = createClient({
      url: "http://hubbub.example",
      fetch: async (url, { headers, body } = {}) => {
        const key = new Headers(headers).get("idempotency-key");
        calls.push({ url: String(url), key, body: body ? JSON.parse(String(body)) : undefined });
        const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
        if (answer === "lost") throw new TypeError("fetch failed");
        return Response.json({ success: true, data: answer });
      },
    });
    return { hubbub, calls };
  };

  it("wait until an order is settled", async () => {
    const { hubbub, calls } = clientOf({ status: "created" }, { status: "paid" });
    expect((await hubbub.payments.settled("1")).status).to.equal("paid");
    expect(calls).to.have.length(2);
  });

  it("name an order that stays open after the given time", async () => {
    const { hubbub } = clientOf({ status: "created" });
    const error = await hubbub.payments.settled("1", 1).catch((thrown: unknown) => thrown);
    expect(isHubbubError(error, "TIMEOUT")).to.equal(true);
  });

  it("present a purchase again if the answer was lost, with the same key", async () => {
    const { hubbub, calls } = clientOf("lost", { status: "paid" });
    expect((await hubbub.payments.apple("jws")).status).to.equal("paid");
    expect(calls.map(({ body }) => body)).to.deep.equal([1, 2].map(() => ({ signed_transaction: "jws" })));
    expect(calls[0]!.key).to.be.a("string").and.equal(calls[1]!.key);
  });

  it("present and restore purchases at Google again if the answer was lost", async () => {
    const bought = clientOf("lost", { status: "paid" });
    await bought.hubbub.payments.google({ productId: "coins", purchaseToken: "token" });
    expect(bought.calls.map(({ body }) => body)).to.deep.equal(
      [1, 2].map(() => ({ product_id: "coins", purchase_token: "token" })),
    );
    const restored = clientOf("lost", []);
    await restored.hubbub.payments.restore("google", ["token"]);
    expect(restored.calls).to.have.length(2);
  });

  it("restore more than the service accepts at once in several calls", async () => {
    const { hubbub, calls } = clientOf([{ order_id: "1", error: null }], [{ order_id: null, error: "CONFLICT" }]);
    const proofs = Array.from({ length: 51 }, (_, index) => `jws ${index}`);
    expect(await hubbub.payments.restore("apple", proofs)).to.have.length(2);
    expect(calls.map(({ body }) => body)).to.deep.equal([
      { store: "apple", signed_transactions: proofs.slice(0, 50) },
      { store: "apple", signed_transactions: proofs.slice(50) },
    ]);
  });

  it("order with the offer that was shown", async () => {
    const { hubbub, calls } = clientOf({ order: {} });
    await hubbub.payments.order({ package_id: "1", offer_id: "2" });
    expect(calls[0]!.body).to.deep.equal({ package_id: "1", offer_id: "2" });
  });
});
