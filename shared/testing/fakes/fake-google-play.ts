import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { GooglePlayApp } from "#shared/domain/money/stores/google/google-client.ts";
import { clock } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { readBody } from "#shared/testing/clients/read-body.ts";
import {
  type Bought,
  newOrderId,
  newToken,
  type PlayOrder,
  PlayProduct,
  PlaySubscription,
  type VoidedPurchase,
} from "./google-play-records.ts";
import { FakeGoogleTokens, type GoogleAnswer } from "./google-tokens.ts";

/**
 * `fail`: returns 503 without effect. `hang`: no response and no effect. `lose the answer`: takes effect without a
 * response. `garble`: takes effect and returns an invalid response. `forbid`: the service account lacks a permission.
 */
type Trouble = "fail" | "hang" | "lose the answer" | "garble" | "forbid";

/** Google's form of an error. */
const failure = (code: number, reason: string, message: string): GoogleAnswer => [
  code,
  { error: { code, message, errors: [{ message, domain: "androidpublisher", reason }] } },
];
const unknownToken = failure(404, "purchaseTokenNotFound", "The purchase token was not found.");
const expiredToken = failure(410, "purchaseTokenNoLongerValid", "The purchase token is no longer valid.");
const scope = "https://www.googleapis.com/auth/androidpublisher";

/**
 * A fake of Google Play's Developer API on loopback, for one app: purchases of products and subscriptions, orders,
 * voided purchases, and a Play Store where tests buy.
 */
export class FakeGooglePlay {
  readonly packageName = `com.example.p${newId().slice(-12)}`;
  readonly calls: { readonly method: string; readonly path: string }[] = [];
  readonly products = new Map<string, PlayProduct>();
  readonly subscriptions = new Map<string, PlaySubscription>();
  readonly orders = new Map<string, PlayOrder>();
  readonly voided: VoidedPurchase[] = [];
  /** The tokens that Google knows no longer. */
  readonly forgotten = new Set<string>();
  /** The most entries of a page of voided purchases. */
  pageSize = 1000;
  readonly tokens: FakeGoogleTokens;
  readonly #server: Server;
  readonly #troubles = new Map<Trouble, { times: number; readonly of: string }>();

  static async start(): Promise<FakeGooglePlay> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeGooglePlay(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.tokens = new FakeGoogleTokens(this.baseUrl, "purchases@hubbub-test.iam.gserviceaccount.com", scope);
    server.on("request", (req, res) => void this.#answer(req, res));
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get app(): GooglePlayApp {
    return { packageName: this.packageName, account: this.tokens.account, baseUrl: this.baseUrl };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** The outcome of the next calls whose path contains `of`. */
  trouble(what: Trouble, times = 1, of = ""): void {
    this.#troubles.set(what, { times, of });
  }

  /** Buys a one-time product. Returns its token. */
  buy(bought: Bought): string {
    const token = newToken();
    const order = bought.promotion ? undefined : this.#order(token, newOrderId(), bought);
    this.products.set(token, new PlayProduct(order?.orderId, bought));
    return token;
  }

  /** The payment of a pending purchase arrives. */
  complete(token: string): void {
    const { shown } = this.products.get(token)!;
    shown.purchaseStateContext.purchaseState = "PURCHASED";
    this.orders.get(shown.orderId!)!.state = "PROCESSED";
  }

  /** Subscribes. Returns the token. */
  subscribe(bought: Bought): string {
    const token = newToken();
    const { orderId } = this.#order(token, newOrderId(), bought);
    this.subscriptions.set(token, new PlaySubscription(orderId, bought));
    return token;
  }

  /** Renews a subscription, so that it lasts until then. Returns the order. */
  renew(token: string, until: string, total?: Bought["total"]): PlayOrder {
    const subscription = this.subscriptions.get(token)!;
    const past = [...this.orders.values()].filter(({ purchaseToken }) => purchaseToken === token);
    const orderId = `${past[0]!.orderId}..${past.length - 1}`;
    const order = this.#order(token, orderId, { productId: subscription.productId, total: total ?? past[0]!.total });
    subscription.become("ACTIVE", { until, orderId });
    return order;
  }

  /** Refunds an order, or the given part of it, or charges it back. */
  refund(
    orderId: string,
    { part, reason = 0 }: { readonly part?: Bought["total"]; readonly reason?: number } = {},
  ): void {
    const order = this.orders.get(orderId)!;
    const details = { refundDetails: { total: part ?? order.total } };
    if (part) {
      order.state = "PARTIALLY_REFUNDED";
      const before = order.orderHistory.partialRefundEvents ?? [];
      order.orderHistory.partialRefundEvents = [...before, { state: "PROCESSED_SUCCESSFULLY", ...details }];
    } else {
      order.state = "REFUNDED";
      order.orderHistory.refundEvent = { refundReason: reason === 7 ? "CHARGEBACK" : "OTHER", ...details };
      this.products.get(order.purchaseToken)?.end("CANCELLED");
    }
    const ms = clock.now();
    this.voided.push({
      kind: "androidpublisher#voidedPurchase",
      purchaseToken: order.purchaseToken,
      orderId,
      purchaseTimeMillis: String(Date.parse(order.createTime)),
      voidedTimeMillis: String(ms),
      voidedSource: reason === 7 ? 0 : 1,
      voidedReason: reason,
      seenMs: ms,
    });
  }

  #order(purchaseToken: string, orderId: string, { productId, total, pending }: Bought): PlayOrder {
    const order: PlayOrder = {
      orderId,
      purchaseToken,
      state: pending ? "PENDING" : "PROCESSED",
      createTime: new Date(clock.now()).toISOString(),
      total: total ?? { currencyCode: "INR", units: "99" },
      lineItems: [{ productId }],
      orderHistory: {},
    };
    this.orders.set(orderId, order);
    return order;
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBody(req);
    if (body === undefined) return;
    const reply = ([status, content]: GoogleAnswer) =>
      res
        .writeHead(status, { "content-type": "application/json; charset=UTF-8" })
        .end(Object.keys(content).length > 0 ? JSON.stringify(content) : "");
    if (req.url === "/token") return void reply(await this.tokens.give(new URLSearchParams(body)));

    const { pathname, searchParams } = new URL(req.url!, this.baseUrl);
    this.calls.push({ method: req.method!, path: pathname.replace(/^.*applications\/[^/]*/, "") });
    if (this.#strikes("hang", pathname)) return;
    if (this.#strikes("fail", pathname)) return void reply(failure(503, "backendError", "Backend Error"));
    if (this.#strikes("forbid", pathname))
      return void reply(failure(403, "permissionDenied", "The current user has insufficient permissions."));
    if (!this.tokens.authorizes(req.headers.authorization))
      return void reply(failure(401, "authError", "Invalid Credentials"));
    const answer = this.#serve(`${req.method} ${decodeURIComponent(pathname)}`, searchParams);
    if (this.#strikes("lose the answer", pathname)) return;
    if (this.#strikes("garble", pathname)) return void res.end('{"kind": [');
    reply(answer);
  }

  #strikes(what: Trouble, path: string): boolean {
    const trouble = this.#troubles.get(what);
    if (!trouble || trouble.times === 0 || !path.includes(trouble.of)) return false;
    trouble.times -= 1;
    return true;
  }

  #serve(call: string, search: URLSearchParams): GoogleAnswer {
    const root = `/androidpublisher/v3/applications/${this.packageName}`;
    const [method, path = ""] = call.split(" ");
    if (!path.startsWith(`${root}/`))
      return failure(404, "applicationNotFound", "No application was found for the given package name.");
    const at = path.slice(root.length);
    const token = /\/tokens\/([^/:]+)/.exec(at)?.[1] ?? "-";
    if (this.forgotten.has(token)) return expiredToken;
    switch (
      `${method} ${at.replace(/\/(products|subscriptions)\/[^/]+(?=\/tokens)/, "/$1/:id").replace(token, ":token")}`
    ) {
      case "GET /purchases/productsv2/tokens/:token":
        return shown(this.products.get(token)?.shown);
      case "GET /purchases/subscriptionsv2/tokens/:token":
        return shown(this.subscriptions.get(token)?.shown);
      case "POST /purchases/products/:id/tokens/:token:consume":
        return this.#consume(token, /products\/([^/]+)/.exec(at)![1]!);
      case "POST /purchases/subscriptions/:id/tokens/:token:acknowledge":
        return done(this.subscriptions.get(token)?.acknowledge(/subscriptions\/([^/]+)/.exec(at)![1]!));
      case "POST /purchases/subscriptionsv2/tokens/:token:cancel":
        return done(this.subscriptions.get(token)?.cancel());
      case "GET /purchases/voidedpurchases":
        return this.#listVoided(search);
      default: {
        const order = /^\/orders\/([^/:]+)$/.exec(at)?.[1];
        if (method === "GET" && order) return shown(this.orders.get(order));
        return failure(404, "notFound", "Not Found");
      }
    }
  }

  #consume(token: string, productId: string): GoogleAnswer {
    const product = this.products.get(token);
    if (!product || product.productId !== productId) return unknownToken;
    if (!product.consume())
      return failure(400, "productNotOwnedByUser", "The product purchase is not owned by the user.");
    return [200, {}];
  }

  #listVoided(search: URLSearchParams): GoogleAnswer {
    const since = Number(search.get("startTime"));
    if (!search.get("token") && since < clock.now() - 30 * 86_400_000)
      return failure(400, "invalid", "Start time must be within the last 30 days.");
    const from = Number(search.get("token") ?? 0);
    const all = this.voided.filter(({ seenMs }) => search.get("token") || seenMs >= since);
    const page = all.slice(from, from + this.pageSize).map(({ seenMs: _seen, ...entry }) => entry);
    const next =
      from + this.pageSize < all.length ? { tokenPagination: { nextPageToken: `${from + this.pageSize}` } } : {};
    return [200, { ...(page.length > 0 && { voidedPurchases: page }), ...next }];
  }
}

const shown = (record: object | undefined): GoogleAnswer => (record ? [200, record] : unknownToken);
const done = (hasDone: boolean | undefined): GoogleAnswer => {
  if (hasDone === undefined) return unknownToken;
  return hasDone ? [200, {}] : failure(400, "subscriptionInvalidState", "The subscription can't be changed now.");
};
