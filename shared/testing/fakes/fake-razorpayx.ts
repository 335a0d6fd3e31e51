import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sign } from "#shared/kernel/hmac.ts";
import { newId } from "#shared/kernel/ids.ts";
import { readBody } from "#shared/testing/clients/read-body.ts";

/** A payout at the fake. */
export interface FakePayout {
  id: string;
  entity: "payout";
  fund_account_id: string;
  amount: number;
  currency: string;
  mode: string;
  status: string;
  reference_id: string;
  utr: string | null;
  failure_reason: string | null;
}

/**
 * `fail`: 502 without effect. `hang`: no response and no effect. `lose the answer`: takes effect without a response.
 * `refuse`: 400 without effect. `forbid`: 401 without effect. They concern only requests to pay.
 */
export type PayoutTrouble = "fail" | "hang" | "lose the answer" | "refuse" | "forbid";

const fakeId = (prefix: string): string => `${prefix}_${newId().replaceAll("-", "").slice(-14)}`;

/** A fake RazorpayX on loopback: contacts, fund accounts, payouts by their keys of idempotency, and signed webhooks. */
export class FakeRazorpayX {
  readonly keySecret = `key-${newId()}`;
  readonly webhookSecret = `hook-${newId()}`;
  readonly accountNumber = "7878780080316316";
  /** The calls, such as `POST payouts`, and the bodies of those that post. */
  readonly calls: { readonly call: string; readonly body: Record<string, unknown> }[] = [];
  readonly payouts: FakePayout[] = [];
  /** What becomes of the payouts that are made from now on. */
  payoutsAre: Partial<FakePayout> = { status: "processing" };
  /** What happens to the next requests to pay, one after another. */
  readonly troubles: (PayoutTrouble | undefined)[] = [];
  readonly #byKey = new Map<string, { readonly body: string; readonly payout: FakePayout }>();
  readonly #server: Server;

  static async start(): Promise<FakeRazorpayX> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeRazorpayX(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (req, res) => void this.#answer(req, res));
  }

  get credentials() {
    return {
      ...{ keyId: "rzp_test_x", keySecrets: [this.keySecret], webhookSecrets: [this.webhookSecret] },
      ...{
        accountNumber: this.accountNumber,
        baseUrl: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`,
      },
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** Returns the payouts of one of ours. */
  paidFor = (ourId: string): FakePayout[] => this.payouts.filter(({ reference_id }) => reference_id === ourId);

  /** Returns the webhook that says how a payout is, with its signature. */
  webhook(payout: FakePayout, status: string, more: Partial<FakePayout> = {}) {
    const entity = { ...payout, status, ...more };
    const body = JSON.stringify({ entity: "event", event: `payout.${status}`, payload: { payout: { entity } } });
    const headers = { "content-type": "application/json", "x-razorpay-signature": sign(this.webhookSecret, body) };
    return { body: Buffer.from(body), headers };
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const text = (await readBody(req)) ?? "";
    const url = new URL(req.url!, "http://fake");
    const [, , kind, id] = url.pathname.split("/");
    const body = text ? JSON.parse(text) : {};
    this.calls.push({ call: `${req.method} ${kind}`, body });
    const reply = (status: number, answer: object) =>
      res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    const fail = (status: number, description: string) => reply(status, { error: { description } });
    const expected = `Basic ${Buffer.from(`rzp_test_x:${this.keySecret}`).toString("base64")}`;
    if (req.headers.authorization !== expected) return void fail(401, "Authentication failed");
    if (req.method === "GET") {
      const found = this.payouts.filter((one) =>
        id ? one.id === id : one.reference_id === url.searchParams.get("reference_id"),
      );
      return void reply(200, id ? found[0]! : { entity: "collection", items: found });
    }
    if (kind === "contacts") return void reply(201, { id: fakeId("cont"), ...body });
    if (kind === "fund_accounts") {
      const isInvalid = String(body.vpa?.address).startsWith("invalid");
      return void (isInvalid ? fail(400, "Invalid VPA") : reply(201, { id: fakeId("fa"), ...body }));
    }
    const trouble = this.troubles.shift();
    if (trouble === "hang") return;
    if (trouble === "fail") return void fail(502, "Bad gateway");
    if (trouble === "refuse") return void fail(400, "The fund account is inactive");
    if (trouble === "forbid") return void fail(401, "The key has expired");
    const key = String(req.headers["x-payout-idempotency"]);
    const known = this.#byKey.get(key);
    if (known && known.body !== text) return void fail(400, "Different request with the same idempotency key");
    const payout: FakePayout = known?.payout ?? {
      ...{ id: fakeId("pout"), entity: "payout", ...body, status: "processing", utr: null, failure_reason: null },
      ...this.payoutsAre,
    };
    if (!known) {
      this.#byKey.set(key, { body: text, payout });
      this.payouts.push(payout);
    }
    if (trouble !== "lose the answer") reply(200, payout);
  }
}
