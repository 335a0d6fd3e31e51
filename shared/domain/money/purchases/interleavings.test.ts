import { expect } from "chai";
import fc from "fast-check";
import { query } from "#shared/db/query.ts";
import { toUnavailableError } from "#shared/db/unavailable.ts";
import { orderCoins } from "#shared/domain/money/payments/create-order.ts";
import { expireOrders } from "#shared/domain/money/payments/expire-orders.ts";
import { configurePayments } from "#shared/domain/money/payments/payments.config.ts";
import { getWallet } from "#shared/domain/money/payments/payments.queries.ts";
import { makeStripe } from "#shared/domain/money/payments/providers/stripe.ts";
import { receiveWebhook } from "#shared/domain/money/payments/receive-webhook.ts";
import { reconcileOrder } from "#shared/domain/money/payments/reconcile-order.ts";
import { verifyPayment } from "#shared/domain/money/payments/verify-payment.ts";
import { receiveAppleNotice } from "#shared/domain/money/stores/apple/receive-apple-notice.ts";
import { verifyApplePurchase } from "#shared/domain/money/stores/apple/verify-apple.ts";
import { acknowledgePurchase } from "#shared/domain/money/stores/google/acknowledge.ts";
import { configureGooglePlay } from "#shared/domain/money/stores/google/google.config.ts";
import { presentGooglePurchase } from "#shared/domain/money/stores/google/present-purchase.ts";
import { receiveGoogleNotice } from "#shared/domain/money/stores/google/receive-notice.ts";
import { configureStores } from "#shared/domain/money/stores/stores.config.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { configureApple } from "#shared/testing/fakes/apple-scene.ts";
import {
  FakeStores,
  type SellerName,
  type StoreNotice,
  type StorePurchase,
} from "#shared/testing/fakes/purchases-at-stores.ts";
import { differencesOf, giveCoins, patienceMs, untilServed } from "#shared/testing/fakes/razorpay-scene.ts";
import { useSandbox } from "#shared/testing/fakes/sandbox-payments.ts";
import { callerOf } from "#shared/testing/people.ts";
import { buildPackage, buildProduct } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { cutAt } from "#shared/testing/statements.ts";

/** `INTERLEAVINGS=10000 npm test -- shared/domain/money/purchases/interleavings.test.ts` tries as many. */
const total = Number(process.env.INTERLEAVINGS ?? 24);
/** So many go on at once: most of the time, one waits. */
const together = 8;
const seed = Number(process.env.INTERLEAVINGS_SEED ?? Date.now() % 2 ** 31);

/** So many take too long to look for a shorter one that fails, too. */
const longRun = 500;

const coins = 97;
const kinds = [
  "verify",
  "notice",
  "refund",
  "reversal",
  "repeat",
  "lost answer",
  "kill",
  "acknowledge",
  "spend",
] as const;

interface Step {
  readonly kind: (typeof kinds)[number];
  /** Chooses a purchase, and what of it. */
  readonly pick: number;
  /** At which statement it is killed, and whether that statement still takes effect. */
  readonly at: number;
  readonly late: boolean;
}
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(fc.constantFrom(...kinds), fc.constantFrom("kill", "notice", "refund")),
  pick: fc.nat(1000),
  at: fc.integer({ min: 1, max: 30 }),
  late: fc.boolean(),
}) as fc.Arbitrary<Step>;
const sold = fc.array(fc.record({ store: fc.constantFrom("apple", "google", "stripe"), named: fc.boolean() }), {
  minLength: 1,
  maxLength: 3,
}) as fc.Arbitrary<{ store: SellerName; named: boolean }[]>;
const interleaving = fc.record({ chosen: sold, steps: fc.array(step, { minLength: 6, maxLength: 18 }) });

interface Interleaving {
  readonly chosen: readonly { readonly store: SellerName; readonly named: boolean }[];
  readonly steps: readonly Step[];
}

/** A purchase with the notices that the store still has to deliver, and those that it has delivered. */
interface Told {
  readonly purchase: StorePurchase;
  readonly due: StoreNotice[];
  readonly delivered: StoreNotice[];
}

describe("purchases at all stores, interleaved", () => {
  useService();
  let stores: FakeStores;
  let packageId: string;
  const products = { apple: "", google: "" };
  let kills = 0;
  /** The users and orders of all runs. */
  const ids: string[] = [];

  before(async () => {
    stores = await FakeStores.start();
    configureApple(stores.apple);
    configureGooglePlay({ ...stores.google.app, production: true, timeoutMs: patienceMs, sender: stores.sender });
    configurePayments({ provider: "stripe", stripe: makeStripe(stores.stripe.credentials, patienceMs) });
    packageId = (await buildPackage({ coins, price: 9900 })).id;
    products.apple = await buildProduct({ coin_package_id: packageId });
    products.google = await buildProduct({ coin_package_id: packageId }, { store: "google" });
  });
  after(async () => {
    configureStores({});
    configureGooglePlay(undefined);
    useSandbox();
    await stores.stop();
  });

  const deliver = ({ store, body, headers }: StoreNotice): Promise<void> => {
    if (store === "apple") return receiveAppleNotice(Buffer.from(body));
    return store === "google"
      ? receiveGoogleNotice(Buffer.from(body), headers)
      : receiveWebhook("stripe", Buffer.from(body), headers);
  };
  const present = (user: BuiltUser, { store, proof: { body } }: StorePurchase): Promise<unknown> => {
    if (store === "apple") return verifyApplePurchase(callerOf(user), body.signed_transaction!);
    if (store === "stripe") return verifyPayment(callerOf(user), { orderId: body.payment_provider_order_id! });
    return presentGooglePurchase(callerOf(user), { ...body, purchase_token: body.purchase_token! });
  };

  /** Whether a call has failed so that its caller tries again. @throws anything else that went wrong */
  const isLost = (error: unknown): boolean => {
    if (toUnavailableError(error)) return true;
    // What was refunded there can't be acknowledged: the job tries again until it has been told so.
    if ((error as Error).message === "Google Play doesn't let a purchase be acknowledged") return true;
    if (!(error instanceof DomainError)) throw error;
    // What was refunded before anyone had claimed it buys nothing.
    if (!["ENGINE_UNAVAILABLE", "ORDER_NOT_PAYABLE", "INSUFFICIENT_BALANCE"].includes(error.code)) throw error;
    return error.code === "ENGINE_UNAVAILABLE";
  };
  const isDone = (call: Promise<unknown>): Promise<boolean> =>
    call.then(
      () => true,
      (error: unknown) => !isLost(error),
    );

  async function untilDone(call: () => Promise<unknown>): Promise<void> {
    while (!(await isDone(call())));
  }

  async function buy(user: BuiltUser, store: SellerName, named: boolean): Promise<StorePurchase> {
    const account = named ? user.id : null;
    if (store === "apple") return stores.buyAtApple(products.apple, account);
    if (store === "google") return stores.buyAtGoogle(products.google, account, false);
    const { order } = await orderCoins(callerOf(user), packageId);
    return stores.payAtStripe(order.provider_order_id!);
  }

  /** Delivers the oldest, or another notice that is due. The store sends it again unless that succeeds. */
  async function deliverDue({ due, delivered }: Told, pick: number): Promise<boolean> {
    const notice = due[pick % due.length];
    if (!notice || !(await isDone(deliver(notice)))) return !notice;
    const at = due.indexOf(notice);
    if (at >= 0) delivered.push(...due.splice(at, 1));
    return true;
  }

  const act = (
    user: BuiltUser,
    spent: (amount: number) => void,
  ): Record<Step["kind"], (told: Told, step: Step) => Promise<unknown>> => ({
    verify: ({ purchase }) => isDone(present(user, purchase)),
    notice: (told, { pick }) => deliverDue(told, pick),
    refund: async ({ purchase, due }, { late }) => due.push(...[(await purchase.refund(late)) ?? []].flat()),
    reversal: async ({ purchase, due }) => due.push(...[(await purchase.reverse()) ?? []].flat()),
    repeat: async ({ delivered }, { pick }) =>
      delivered.length > 0 && isDone(deliver(delivered[pick % delivered.length]!)),
    // The store has done it, or has answered, and we don't hear of it.
    "lost answer": async ({ purchase: { store } }) => store !== "apple" && stores[store].trouble("garble"),
    kill: async (told, { pick, at, late }) => {
      const { store, id } = told.purchase;
      const works = [
        () => present(user, told.purchase),
        ...told.due.map((notice) => () => deliver(notice)),
        ...(store === "google" ? [() => acknowledgePurchase(id)] : []),
        ...(store === "stripe" ? [async () => reconcileOrder((await bookedOf(told.purchase))[0]!.id)] : []),
      ];
      const work = works[pick % works.length]!;
      const { wasCut, error } = await cutAt(at, late ? "after" : "before", work);
      if (wasCut) kills += 1;
      if (error) isLost(error);
    },
    acknowledge: ({ purchase: { store, id } }) =>
      store === "google" ? isDone(acknowledgePurchase(id)) : Promise.resolve(),
    spend: async (_told, { pick }) => {
      const amount = 1 + (pick % 60);
      if (
        await giveCoins(user, -amount).then(
          () => true,
          (error: unknown) => isLost(error) && false,
        )
      )
        spent(amount);
    },
  });

  /** The stores deliver what is due until it is received, the app comes back, and the jobs run. */
  async function settle(user: BuiltUser, all: readonly Told[]): Promise<void> {
    for (const store of ["google", "stripe"] as const) stores[store].trouble("garble", 0);
    for (const told of all) {
      while (told.due.length > 0) await deliverDue(told, 0);
      await untilDone(() => present(user, told.purchase));
      if (told.purchase.store === "google") await untilDone(() => acknowledgePurchase(told.purchase.id));
    }
    await query("UPDATE payment_orders SET expires_at = now() WHERE user_id = $1 AND status = 'created'", [user.id]);
    await untilDone(() => expireOrders());
    const open = await query<{ id: string }>(
      "SELECT id FROM payment_orders WHERE user_id = $1 AND status NOT IN ('paid', 'refunded')",
      [user.id],
    );
    for (const { id } of open) await untilDone(() => reconcileOrder(id));
  }

  interface Booked {
    readonly id: string;
    readonly status: string;
    readonly credits: number;
    readonly debits: number;
    readonly waits: boolean;
  }

  /** What the books have of a purchase: how often it was credited and debited, and whether anything waits. */
  const bookedOf = ({ store, id }: StorePurchase): Promise<Booked[]> =>
    query<Booked & Record<string, unknown>>(
      `SELECT o.id, o.status,
         (SELECT count(*) FROM ledger_movements WHERE reference_type = 'payment_order' AND reference_id = o.id) AS credits,
         (SELECT count(*) FROM payment_refunds r JOIN payments p ON p.id = r.payment_id WHERE p.order_id = o.id) AS debits,
         EXISTS (SELECT FROM store_purchases s WHERE s.order_id = o.id AND (s.state = 'pending'
           OR (s.state = 'paid' AND s.acknowledge_due_at IS NOT NULL))) AS waits
       FROM payment_orders o WHERE o.provider = $1 AND o.provider_order_id = $2`,
      [store, id],
    );

  async function check(user: BuiltUser, all: readonly Told[], spent: number): Promise<void> {
    let expected = -spent;
    ids.push(user.id);
    for (const { purchase } of all) {
      const [back, paid] = purchase.returned;
      const [booked, ...more] = await bookedOf(purchase);
      expected += coins - Math.floor((coins * back) / paid);
      expect(more).to.deep.equal([]);
      // What was refunded before anyone had claimed it may have no order.
      if (!booked) expect(back).to.equal(paid);
      else {
        ids.push(booked.id);
        expect(booked.waits, `${purchase.store} waits`).to.equal(false);
        if (back < paid) expect(booked).to.include({ status: "paid", credits: 1 });
        else expect(booked.status).to.be.oneOf(["refunded", "failed"]);
        expect(booked.debits).to.be.at.most(purchase.refunds);
      }
    }
    const { balance, debt } = await getWallet(user.id);
    expect(balance - debt).to.equal(expected);
  }

  /** Plays one interleaving to its end, and compares. */
  async function play({ chosen, steps }: Interleaving): Promise<void> {
    const user = await buildUser();
    const all: Told[] = [];
    for (const { store, named } of chosen) {
      const purchase = await untilServed(() => buy(user, store, named));
      all.push({ purchase, due: [await purchase.bought()], delivered: [] });
    }
    let spent = 0;
    const acts = act(user, (amount) => {
      spent += amount;
    });
    for (let index = 0; index < steps.length; index += 3)
      await Promise.all(steps.slice(index, index + 3).map((one) => acts[one.kind](all[one.pick % all.length]!, one)));

    await settle(user, all);
    await check(user, all, spent);
  }

  it(`credit each purchase once and debit each refund once, whatever is repeated, lost, or killed (seed ${seed})`, async function () {
    this.timeout(60_000 + total * 2000);
    const property = fc.asyncProperty(fc.array(interleaving, { minLength: together, maxLength: together }), (several) =>
      Promise.all(
        several.map((one) =>
          play(one).catch((error: unknown) => {
            throw new Error(`Failed: ${JSON.stringify(one)}`, { cause: error });
          }),
        ),
      ).then(() => undefined),
    );
    await fc.assert(property, {
      numRuns: Math.ceil(total / together),
      seed,
      includeErrorInReport: true,
      endOnFailure: total > longRun,
    });
    expect(await differencesOf(...ids)).to.deep.equal([]);
    expect(kills).to.be.at.least(total / 4);
  });
});
