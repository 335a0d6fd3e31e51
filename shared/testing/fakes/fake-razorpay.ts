import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { paymentMessage } from "#shared/domain/money/payments/providers/signature.ts";
import { sign } from "#shared/kernel/hmac.ts";
import { newId } from "#shared/kernel/ids.ts";
import { readBody } from "#shared/testing/clients/read-body.ts";
import {
  collection,
  Failure,
  type FakeDispute,
  type FakeOrder,
  type FakePayment,
  type FakeRefund,
  missing,
  ofTime,
} from "./razorpay-records.ts";

/**
 * `fail`: returns 502 without effect. `hang`: no response and no effect. `lose the answer`: takes effect without a
 * response. `garble`: takes effect and returns an invalid response.
 */
type Trouble = "fail" | "hang" | "lose the answer" | "garble";

/** A webhook request. */
export interface FakeWebhook {
  readonly body: string;
  readonly headers: Record<string, string>;
}

const fakeId = (prefix: string): string => `${prefix}_${newId().replaceAll("-", "").slice(-14)}`;

/**
 * A fake Razorpay server on loopback: the REST API for orders and payments (basic auth, errors, schemas), a checkout
 * where tests call `pay`, refunds, and signed webhooks, which tests send explicitly, any number of times.
 */
export class FakeRazorpay {
  readonly keyId = `rzp_test_${newId().slice(-12)}`;
  readonly keySecret = `key-${newId()}`;
  webhookSecret = `hook-${newId()}`;
  readonly calls: { method: string; path: string }[] = [];
  readonly orders = new Map<string, FakeOrder>();
  readonly payments = new Map<string, FakePayment>();
  readonly refunds: FakeRefund[] = [];
  readonly disputes: FakeDispute[] = [];
  /** The status of the refunds that are requested from now on. Tests change the status of those in `refunds` later. */
  refundsAre: FakeRefund["status"] = "processed";
  /** The first request and answer of each key. A repeated request gets the same answer; another one is refused. */
  readonly #refundsByKey = new Map<string, { readonly body: string; readonly refund: FakeRefund }>();
  readonly #server: Server;
  readonly #troubles: Record<Trouble, number> = { fail: 0, hang: 0, "lose the answer": 0, garble: 0 };

  static async start(): Promise<FakeRazorpay> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeRazorpay(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (req, res) => void this.#answer(req, res));
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get credentials() {
    return {
      keyId: this.keyId,
      keySecrets: [this.keySecret],
      webhookSecrets: [this.webhookSecret],
      baseUrl: this.baseUrl,
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** The outcomes of the next calls. */
  trouble(what: Trouble, times = 1): void {
    this.#troubles[what] = times;
  }

  /** Pays an order at the checkout. */
  pay(orderId: string | null, overrides: Partial<FakePayment> = {}): FakePayment {
    const order = orderId === null ? undefined : this.orders.get(orderId);
    const status = overrides.status ?? "captured";
    const payment: FakePayment = {
      id: fakeId("pay"),
      entity: "payment",
      order_id: orderId,
      amount: order?.amount ?? 100,
      currency: order?.currency ?? "INR",
      status,
      captured: status === "captured",
      amount_refunded: 0,
      created_at: Math.floor(Date.now() / 1000),
      email: "payer@example.com",
      contact: "+919876500000",
      card: { last4: "4242", name: "A Payer" },
      ...overrides,
    };
    this.payments.set(payment.id, payment);
    return payment;
  }

  refund(
    payment: FakePayment,
    amount = payment.amount - payment.amount_refunded,
    receipt: string | null = null,
  ): FakeRefund {
    payment.amount_refunded += amount;
    if (payment.amount_refunded === payment.amount) payment.status = "refunded";
    const { id: payment_id, currency } = payment;
    const id = fakeId("rfnd");
    const created_at = Math.floor(Date.now() / 1000);
    const refund: FakeRefund = {
      ...{ id, entity: "refund", payment_id, amount, currency },
      ...{ status: "processed", receipt, created_at },
    };
    this.refunds.push(refund);
    return refund;
  }

  /** Disputes a payment, which takes no money yet unless `amount_deducted` says so. */
  dispute(payment: FakePayment, changes: Partial<FakeDispute> = {}): FakeDispute {
    const { id: payment_id, amount, currency } = payment;
    const dispute: FakeDispute = {
      ...{ id: fakeId("disp"), entity: "dispute", payment_id, amount, currency, amount_deducted: 0 },
      ...{ reason_code: "chargeback", status: "open", phase: "chargeback" },
      created_at: Math.floor(Date.now() / 1000),
      ...changes,
    };
    this.disputes.push(dispute);
    return dispute;
  }

  /** Returns the values that the checkout passes to the client. */
  proof({ id, order_id }: FakePayment) {
    return {
      razorpay_order_id: order_id!,
      razorpay_payment_id: id,
      razorpay_signature: sign(this.keySecret, paymentMessage(order_id!, id)),
    };
  }

  /** Returns a webhook about the current state of a payment. Sending it again repeats the same event. */
  webhook(event: string, payment: FakePayment, about?: FakeRefund | FakeDispute): FakeWebhook {
    const payload = { payment: { entity: payment }, ...(about && { [about.entity]: { entity: about } }) };
    return this.signed(
      JSON.stringify({
        entity: "event",
        account_id: "acc_1",
        event,
        contains: Object.keys(payload),
        payload,
        created_at: Math.floor(Date.now() / 1000),
      }),
    );
  }

  /** Returns any body with a valid signature. */
  signed(body: string): FakeWebhook {
    const headers = {
      "content-type": "application/json",
      "x-razorpay-signature": sign(this.webhookSecret, body),
      "x-razorpay-event-id": fakeId("evt"),
    };
    return { body, headers };
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBody(req);
    if (body === undefined) return;
    const { method = "", url = "" } = req;
    this.calls.push({ method, path: url });
    if (this.#takes("hang")) return;
    if (this.#takes("fail")) return reply(res, 502, { error: { code: "SERVER_ERROR", description: "Bad gateway" } });
    try {
      this.#authorize(req.headers.authorization ?? "");
      const answer = this.#perform(method, new URL(url, this.baseUrl), body, req.headers);
      if (this.#takes("lose the answer")) return;
      reply(res, 200, this.#takes("garble") ? { entity: "surprise" } : answer);
    } catch (error) {
      const { status, message } = error instanceof Failure ? error : new Failure(500, String(error));
      reply(res, status, { error: { code: "BAD_REQUEST_ERROR", description: message } });
    }
  }

  #takes(what: Trouble): boolean {
    if (this.#troubles[what] === 0) return false;
    this.#troubles[what] -= 1;
    return true;
  }

  #authorize(header: string): void {
    const expected = `Basic ${Buffer.from(`${this.keyId}:${this.keySecret}`).toString("base64")}`;
    if (header !== expected) throw new Failure(401, "Authentication failed");
  }

  #perform(method: string, { pathname, searchParams }: URL, body: string, headers: IncomingHttpHeaders): object {
    const count = Number(searchParams.get("count") ?? 10);
    if (!(count >= 1 && count <= 100)) throw new Failure(400, "The count must be between 1 and 100.");
    const [, version, kind, id, action, part] = pathname.split("/");
    if (version !== "v1") throw new Failure(404, "The requested URL was not found on the server.");
    if (kind === "orders" && method === "POST" && !id) return this.#createOrder(JSON.parse(body));
    if (kind === "orders" && method === "GET") {
      if (!id)
        return collection(
          [...this.orders.values()].filter((one) => one.receipt === searchParams.get("receipt")),
          count,
        );
      if (!this.orders.has(id)) throw missing();
      if (action === "payments") return collection([...this.payments.values()].filter((one) => one.order_id === id));
    }
    if (method === "GET" && !id && kind === "payments") return ofTime([...this.payments.values()], searchParams);
    if (method === "GET" && !id && kind === "refunds") return ofTime(this.refunds, searchParams);
    if (method === "GET" && kind === "disputes") {
      if (!id) return ofTime(this.disputes, searchParams);
      const dispute = this.disputes.find((one) => one.id === id);
      if (!dispute) throw missing();
      return dispute;
    }
    const payment = this.payments.get(id ?? "");
    if (kind !== "payments" || !payment) throw missing();
    if (method === "GET" && !action) return payment;
    if (method === "GET" && action === "refunds" && part) {
      const refund = this.refunds.find((one) => one.id === part && one.payment_id === payment.id);
      if (!refund) throw missing();
      return refund;
    }
    if (method === "GET" && action === "refunds")
      return collection(
        this.refunds.filter(({ payment_id }) => payment_id === payment.id),
        count,
      );
    if (method === "POST" && action === "refund")
      return this.#refundOnce(payment, body, String(headers["x-refund-idempotency"]));
    if (method === "POST" && action === "capture") return this.#capture(payment, JSON.parse(body));
    throw new Failure(404, "The requested URL was not found on the server.");
  }

  #createOrder(asked: { amount?: unknown; currency?: unknown; receipt?: unknown }): FakeOrder {
    const { amount, currency, receipt = null } = asked;
    if (typeof amount !== "number" || !Number.isInteger(amount) || amount < 100)
      throw new Failure(400, "Order amount less than minimum amount allowed");
    if (typeof currency !== "string") throw new Failure(400, "The currency field is required.");
    if (["BHD", "KWD", "OMR"].includes(currency) && amount % 10 !== 0)
      throw new Failure(400, "The last decimal of the amount must be 0.");
    if (receipt !== null && (typeof receipt !== "string" || receipt.length > 40))
      throw new Failure(400, "receipt: the length must be no more than 40.");
    const id = fakeId("order");
    const order: FakeOrder = { id, entity: "order", amount, amount_paid: 0, currency, receipt, status: "created" };
    this.orders.set(id, order);
    return order;
  }

  #refundOnce(payment: FakePayment, body: string, key: string): FakeRefund {
    const { amount, receipt } = JSON.parse(body) as { amount: number; receipt: string };
    const known = this.#refundsByKey.get(key);
    if (known && known.body !== body)
      throw new Failure(400, "Different request was sent with the same idempotency header.");
    if (known) return known.refund;
    if (payment.amount_refunded + amount > payment.amount)
      throw new Failure(400, "The total refund amount is greater than the refund payment amount");
    const refund = this.refund(payment, amount, receipt);
    refund.status = this.refundsAre;
    this.#refundsByKey.set(key, { body, refund: { ...refund } });
    return refund;
  }

  /** Forgets the idempotency keys, as Razorpay does after some time. */
  forgetKeys(): void {
    this.#refundsByKey.clear();
  }

  #capture(payment: FakePayment, { amount, currency }: { amount?: unknown; currency?: unknown }): FakePayment {
    if (payment.status !== "authorized") throw new Failure(400, "This payment has already been captured");
    if (amount !== payment.amount || currency !== payment.currency)
      throw new Failure(400, "Capture amount must be equal to the amount authorized");
    return Object.assign(payment, { status: "captured", captured: true });
  }
}

function reply(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
