import { newId } from "#shared/kernel/ids.ts";
import { FakeApple } from "./fake-apple.ts";
import { FakeGooglePlay } from "./fake-google-play.ts";
import { FakeOpenId } from "./fake-openid.ts";
import { FakeStripe } from "./fake-stripe.ts";
import type { FakeIntent } from "./stripe-books.ts";

export type SellerName = "apple" | "google" | "stripe";

/** A notice as its store sends it to the service. */
export interface StoreNotice {
  readonly store: SellerName;
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** What happens to a purchase at its store. */
export interface StorePurchase {
  readonly store: SellerName;
  /** The store's ID of the order. */
  readonly id: string;
  /** What the buyer's app sends to `POST /payments/<path>`. */
  readonly proof: { readonly path: string; readonly body: Record<string, string> };
  /** Returns the notice of the purchase itself. */
  bought(): Promise<StoreNotice>;
  /** Refunds it, or half of it if that is possible there. Returns the notice; undefined if it can't be refunded now. */
  refund(half: boolean): Promise<StoreNotice | undefined>;
  /** Takes a refund back. Returns the notice; undefined if none can be. */
  reverse(): Promise<StoreNotice | undefined>;
  /** How often it was refunded. */
  readonly refunds: number;
  /** The money that the buyer has back, and that they paid. */
  readonly returned: readonly [back: number, paid: number];
}

/** The service account of Google's notices, and what its tokens are for. */
const sender = { audience: "https://api.example.com/google", email: "push@example.iam.gserviceaccount.com" } as const;
const json = { "content-type": "application/json" };

/** The fakes of all stores, with what buyers do there. */
export class FakeStores {
  readonly apple: FakeApple;
  readonly google: FakeGooglePlay;
  readonly stripe: FakeStripe;
  readonly #tokens: FakeOpenId;
  #ticks = 0;

  private constructor(apple: FakeApple, google: FakeGooglePlay, stripe: FakeStripe, tokens: FakeOpenId) {
    this.apple = apple;
    this.google = google;
    this.stripe = stripe;
    this.#tokens = tokens;
  }

  /** `issuer`: of the tokens of Google's notices, if not the fake's own. */
  static async start(issuer?: string): Promise<FakeStores> {
    const fakes = [FakeApple.start(), FakeGooglePlay.start(), FakeStripe.start(), FakeOpenId.start(issuer)] as const;
    return new FakeStores(...(await Promise.all(fakes)));
  }

  async stop(): Promise<void> {
    await Promise.all([this.google.stop(), this.stripe.stop()]);
    this.#tokens.stop();
  }

  /** Who sends Google's notices. */
  get sender() {
    return { ...sender, issuer: this.#tokens.issuer };
  }

  /** Where the keys of that issuer are. */
  get keysUrl(): string {
    return this.#tokens.url;
  }

  /** Buys at Apple; `userId` is named to it unless null. */
  async buyAtApple(productId: string, userId: string | null): Promise<StorePurchase> {
    const { apple } = this;
    const transaction = apple.transaction(productId, userId ? { appAccountToken: userId } : {});
    const { transactionId } = transaction;
    const proof = { path: "apple", body: { signed_transaction: await apple.sign(transaction) } };
    let refunds = 0;
    let isBack = false;
    const tell = async (type: string, change: object): Promise<StoreNotice> => {
      // Each change is later than the one before it.
      this.#ticks += 1;
      const at = { signedDate: Date.now() - 3_600_000 + this.#ticks };
      const notice = await apple.notice(type, { ...at, transaction: { ...transaction, ...at, ...change } });
      return { store: "apple", body: JSON.stringify({ signedPayload: await apple.sign(notice) }), headers: json };
    };
    return {
      store: "apple",
      id: transactionId,
      proof,
      bought: () => tell("ONE_TIME_CHARGE", {}),
      refund: async () => {
        if (isBack) return undefined;
        isBack = true;
        refunds += 1;
        this.#ticks += 1;
        return tell("REFUND", { revocationDate: Date.now() - 3_600_000 + this.#ticks, revocationReason: 0 });
      },
      reverse: async () => {
        if (!isBack) return undefined;
        isBack = false;
        return tell("REFUND_REVERSED", {});
      },
      get refunds() {
        return refunds;
      },
      get returned() {
        return [isBack ? 1 : 0, 1] as const;
      },
    };
  }

  /** Buys at Google Play; `userId` is named to it unless null. Google takes no refund back. */
  buyAtGoogle(productId: string, userId: string | null, test: boolean): StorePurchase {
    const { google } = this;
    const token = google.buy({ productId, account: userId ?? undefined, test });
    const orderId = google.products.get(token)!.shown.orderId!;
    const order = google.orders.get(orderId)!;
    const [paid, half] = [99, 40];
    let parts = 0;
    const tell = async (about: object): Promise<StoreNotice> => {
      const data = { version: "1.0", packageName: google.packageName, eventTimeMillis: `${Date.now()}`, ...about };
      const message = { data: Buffer.from(JSON.stringify(data)).toString("base64"), messageId: newId() };
      // Clocks of processes may be off.
      const seconds = Math.floor(Date.now() / 1000);
      const times = { iat: seconds - 600, exp: seconds + 600 };
      const claims = { ...times, aud: sender.audience, email: sender.email, email_verified: true };
      const authorization = `Bearer ${await this.#tokens.token("113774264463038321964", newId(), { claims })}`;
      return { store: "google", body: JSON.stringify({ message }), headers: { ...json, authorization } };
    };
    return {
      store: "google",
      id: orderId,
      proof: { path: "google", body: { product_id: productId, purchase_token: token } },
      bought: () => tell({ oneTimeProductNotification: { version: "1.0", notificationType: 1, purchaseToken: token } }),
      refund: async (inPart) => {
        if (order.state === "REFUNDED" || (inPart && parts > 0)) return undefined;
        google.refund(orderId, inPart ? { part: { currencyCode: "INR", units: `${half}` } } : {});
        parts += 1;
        return tell({ voidedPurchaseNotification: { purchaseToken: token, orderId, productType: 2, refundType: 1 } });
      },
      reverse: async () => undefined,
      get refunds() {
        return parts;
      },
      get returned() {
        return [order.state === "REFUNDED" ? paid : parts * half, paid] as const;
      },
    };
  }

  /** Pays the session of an order at Stripe. Disputes can be won. */
  payAtStripe(sessionId: string): StorePurchase {
    const { stripe } = this;
    const intent: FakeIntent = stripe.pay(sessionId)!;
    let refunds = 0;
    const charge = { id: intent.latest_charge, object: "charge", payment_intent: intent.id };
    const tell = (type: string, object: object): StoreNotice => {
      const { body } = stripe.webhook(type, object);
      return {
        store: "stripe",
        body,
        // Each delivery is signed: Stripe's library accepts what is five minutes old, and clocks may be ahead.
        get headers() {
          return stripe.signed(body, { timestamp: Math.floor(Date.now() / 1000) + 60 }).headers;
        },
      };
    };
    const disputes = () => stripe.disputes.filter((one) => one.payment_intent === intent.id);
    const open = () => disputes().find(({ status }) => status === "needs_response");
    return {
      store: "stripe",
      id: sessionId,
      proof: { path: "verify", body: { payment_provider_order_id: sessionId } },
      bought: async () => tell("checkout.session.completed", stripe.sessions.get(sessionId)!),
      refund: async (inPart) => {
        const left = intent.amount - intent.amount_refunded;
        if (open() || left === 0 || disputes().length > 1) return undefined;
        refunds += 1;
        if (!inPart && left === intent.amount) return tell("charge.dispute.created", stripe.dispute(intent));
        stripe.refund(intent, inPart ? Math.ceil(left / 2) : left);
        return tell("charge.refunded", charge);
      },
      reverse: async () => {
        const dispute = open();
        return dispute && tell("charge.dispute.closed", Object.assign(dispute, { status: "won" }));
      },
      get refunds() {
        return refunds;
      },
      get returned() {
        return [stripe.takenOf(intent), intent.amount] as const;
      },
    };
  }
}
