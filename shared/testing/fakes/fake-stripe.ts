import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { newId } from "#shared/kernel/ids.ts";
import { readBody } from "#shared/testing/clients/read-body.ts";
import { missing, nowSeconds, readForm, type StripeBooks, StripeFailure, stripeId } from "./stripe-books.ts";
import examples from "./stripe-examples.json" with { type: "json" };
import { type FakeInvoice, type FakePrice, StripeRenewals } from "./stripe-renewals.ts";

/**
 * `fail`: returns 500 without effect, and again for the same key. `hang`: no response and no effect. `lose the answer`:
 * takes effect without a response. `garble`: takes effect and returns an invalid response. `limit`: returns 429.
 * `decline`: refuses the next POST with 402.
 */
export type StripeTrouble = "fail" | "hang" | "lose the answer" | "garble" | "limit" | "decline";

interface Answer {
  readonly status: number;
  readonly body: object;
}

const errorBody = (message: string, fields: object) => ({ error: { message, ...fields } });

/**
 * A fake Stripe server on loopback: the parts of the REST API that we use (bearer key, forms, errors, lists by pages,
 * idempotency keys), and signed webhooks, which tests send explicitly, any number of times.
 */
export class FakeStripe extends StripeRenewals {
  readonly secretKey = `sk_test_${newId()}`;
  readonly webhookSecret = `whsec_${newId()}`;
  readonly calls: { method: string; path: string }[] = [];
  /** The first request and answer of each key. */
  readonly #byKey = new Map<string, { readonly request: string; readonly answer: Answer }>();
  readonly #server: Server;
  readonly #troubles = new Map<StripeTrouble, number>();

  static async start(): Promise<FakeStripe> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeStripe(server);
  }

  private constructor(server: Server) {
    super();
    this.#server = server;
    server.on("request", (req, res) => void this.#answer(req, res));
  }

  get credentials() {
    return {
      secretKey: this.secretKey,
      webhookSecrets: [`whsec_new_${this.webhookSecret}`, this.webhookSecret],
      baseUrl: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`,
      successUrl: "https://app.example.com/paid?from=stripe",
      cancelUrl: "https://app.example.com/shop",
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** The outcomes of the next calls. */
  trouble(what: StripeTrouble, times = 1): void {
    this.#troubles.set(what, times);
  }

  /** Forgets the idempotency keys, as Stripe does after a day. */
  forgetKeys(): void {
    this.#byKey.clear();
  }

  /** Returns a signed event about an object as it is now. */
  webhook(type: string, object: object) {
    return this.signed(
      JSON.stringify({
        id: stripeId("evt"),
        object: "event",
        api_version: "2026-10-28.endive",
        created: nowSeconds(),
        data: { object: asDocumented(object) },
        livemode: false,
        pending_webhooks: 1,
        request: { id: null, idempotency_key: null },
        type,
      }),
    );
  }

  /** Returns any body with a signature of the library's own. */
  signed(body: string, { secret = this.webhookSecret, timestamp = nowSeconds() } = {}) {
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
    return { body, headers: { "content-type": "application/json", "stripe-signature": signature } };
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBody(req);
    if (body === undefined) return;
    const { method = "", url = "" } = req;
    this.calls.push({ method, path: url });
    if (this.#takes("hang")) return;
    if (this.#takes("limit"))
      return reply(res, { status: 429, body: errorBody("Too many requests", { type: "invalid_request_error" }) });
    const key = req.headers["idempotency-key"] as string | undefined;
    const request = `${method} ${url} ${body}`;
    const known = key ? this.#byKey.get(key) : undefined;
    const answer = known ? replayed(known, request) : this.#tried(req, new URL(url, "http://stripe"), body);
    // Stripe keeps what it began to execute, also a 500; what it refused by itself is tried again.
    if (key && !known && (answer.status < 400 || answer.status >= 500)) this.#byKey.set(key, { request, answer });
    if (this.#takes("lose the answer")) return;
    reply(
      res,
      this.#takes("garble")
        ? { status: 200, body: { object: "surprise" } }
        : { ...answer, body: asDocumented(answer.body) as object },
    );
  }

  #tried(req: IncomingMessage, url: URL, body: string): Answer {
    if (req.headers.authorization !== `Bearer ${this.secretKey}`)
      return { status: 401, body: errorBody("Invalid API Key provided", { type: "invalid_request_error" }) };
    if (this.#takes("fail"))
      return { status: 500, body: errorBody("An unknown error occurred", { type: "api_error" }) };
    try {
      if (req.method === "POST" && this.#takes("decline"))
        throw new StripeFailure(402, "Insufficient funds in your balance.", { type: "card_error", code: "declined" });
      return { status: 200, body: this.perform(req.method ?? "", url, readForm(body)) };
    } catch (error) {
      if (!(error instanceof StripeFailure))
        return { status: 500, body: errorBody(String(error), { type: "api_error" }) };
      return { status: error.status, body: errorBody(error.message, error.fields) };
    }
  }

  #takes(what: StripeTrouble): boolean {
    const left = this.#troubles.get(what) ?? 0;
    this.#troubles.set(what, left - 1);
    return left > 0;
  }

  protected perform(method: string, { pathname, searchParams }: URL, form: ReturnType<typeof readForm>): object {
    const [, , kind, ...rest] = pathname.split("/");
    const [id, action] = kind === "checkout" ? rest.slice(1) : rest;
    const of = (name: "payment_intent" | "subscription") => searchParams.get(name);
    if (kind === "checkout" && method === "POST") return action ? this.expire(id!) : this.openSession(form);
    if (kind === "checkout" && !id)
      return page(
        [...this.sessions.values()].filter((one) =>
          of("payment_intent") ? one.payment_intent === of("payment_intent") : one.subscription === of("subscription"),
        ),
        searchParams,
      );
    if (kind === "checkout") return this.sessions.get(id!) ?? raise(missing("checkout.session", id!));
    if (kind === "payment_intents") return this.intents.get(id!) ?? raise(missing("payment_intent", id!));
    if (kind === "charges")
      return page(
        [...this.intents.values()].filter(({ status }) => status !== "processing").map(chargeOf),
        searchParams,
      );
    const renewing = this.#renewing(method, kind, id, form, searchParams);
    if (renewing) return renewing;
    const books = kind === "refunds" ? this.refunds : kind === "disputes" ? this.disputes : undefined;
    if (!books) throw new StripeFailure(404, `Unrecognized request URL (${method}: ${pathname}).`);
    if (method === "GET" && id)
      return [...books].find((one) => one.id === id) ?? raise(missing(kind!.slice(0, -1), id));
    if (method === "GET")
      return page(
        [...books].filter((one) => !of("payment_intent") || one.payment_intent === of("payment_intent")),
        searchParams,
      );
    const intent =
      this.intents.get(String(form.payment_intent)) ?? raise(missing("payment_intent", String(form.payment_intent)));
    return this.refund(intent, Number(form.amount), form.metadata as Record<string, string>);
  }

  /** Subscriptions, invoices, and prices. Lists show the newest first. */
  #renewing(
    method: string,
    kind = "",
    id: string | undefined,
    form: ReturnType<typeof readForm>,
    asked: URLSearchParams,
  ) {
    if (kind === "subscriptions") {
      const known = this.subscriptions.get(id!) ?? raise(missing("subscription", id!));
      if (method === "DELETE") return this.cancel(id!);
      if (method === "POST")
        return Object.assign(known, { cancel_at_period_end: form.cancel_at_period_end === "true" });
      const expanded = asked.get("expand[0]") === "items.data.price.product";
      const items = known.items.data.map((item) => ({ ...item, price: shownPrice(item.price, expanded) }));
      return { ...known, items: { ...known.items, data: items } };
    }
    if (kind === "prices")
      return shownPrice(this.prices.get(id!) ?? raise(missing("price", id!)), asked.get("expand[0]") === "product");
    if (kind === "invoices" && id) return shownInvoice(this.invoices.get(id) ?? raise(missing("invoice", id)), false);
    if (kind === "invoices")
      return page(
        this.invoicesOf({ id: asked.get("subscription")! })
          .filter(({ status }) => !asked.get("status") || status === asked.get("status"))
          .map((one) => shownInvoice(one, asked.get("expand[0]") === "data.payments")),
        asked,
      );
    if (kind !== "invoice_payments") return undefined;
    const intent = asked.get("payment[payment_intent]");
    const payments = [...this.invoices.values()].flatMap((one) => one.payments.data);
    return page(
      payments.filter(({ payment }) => payment.payment_intent === intent),
      asked,
    );
  }
}

/**
 * The objects of Stripe's API reference, by their kind: https://docs.stripe.com/api, with each field that it shows.
 */
export const stripeExamples: Readonly<Record<string, object>> = examples;

/** Returns an object, and those of a list, with all fields that Stripe shows of its kind. */
function asDocumented(shown: unknown): unknown {
  if (typeof shown !== "object" || shown === null) return shown;
  const { object: kind, data } = shown as { object?: string; data?: unknown };
  if (kind === "list" && Array.isArray(data)) return { ...shown, data: data.map(asDocumented) };
  return { ...stripeExamples[kind ?? ""], ...shown };
}

const shownPrice = ({ product, ...price }: FakePrice, expanded: boolean) => ({
  ...price,
  product: expanded ? product : product.id,
});

/** Payments are shown only on request. */
const shownInvoice = ({ payments, ...invoice }: FakeInvoice, expanded: boolean) => ({
  ...invoice,
  ...(expanded && { payments }),
});

const raise = (failure: StripeFailure): never => {
  throw failure;
};

const replayed = (known: { request: string; answer: Answer }, request: string): Answer =>
  known.request === request
    ? known.answer
    : {
        status: 400,
        body: errorBody("Keys for idempotent requests can only be used with the same parameters.", {
          type: "idempotency_error",
        }),
      };

/** The charge of an intent, as lists show it. */
const chargeOf = (intent: StripeBooks["intents"] extends Map<string, infer Intent> ? Intent : never) => ({
  id: intent.latest_charge,
  object: "charge",
  amount: intent.amount,
  amount_captured: intent.amount_received,
  created: intent.created,
  currency: intent.currency,
  metadata: intent.metadata,
  payment_intent: intent.id,
  status: intent.captured ? "succeeded" : "failed",
  billing_details: { email: "canary@example.com", name: "Canary" },
});

/** A page of a list: the newest first, after `starting_after`, of the time asked for. */
function page(all: { id: string; created: number }[], asked: URLSearchParams): object {
  const limit = Number(asked.get("limit") ?? 10);
  if (!(limit >= 1 && limit <= 100)) throw new StripeFailure(400, "Limit must be between 1 and 100.");
  const [from, to] = [Number(asked.get("created[gte]") ?? 0), Number(asked.get("created[lt]") ?? Number.MAX_VALUE)];
  const sorted = all.filter(({ created }) => created >= from && created < to).reverse();
  const start = sorted.findIndex(({ id }) => id === asked.get("starting_after")) + 1;
  const data = sorted.slice(start, start + limit);
  return { object: "list", data, has_more: start + limit < sorted.length, url: "/v1/list" };
}

function reply(res: ServerResponse, { status, body }: Answer): void {
  res
    .writeHead(status, { "Content-Type": "application/json", "Request-Id": stripeId("req") })
    .end(JSON.stringify(body));
}
