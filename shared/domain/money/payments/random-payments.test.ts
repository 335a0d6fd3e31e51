import { expect } from "chai";
import fc from "fast-check";
import { query, queryOne } from "#shared/db/query.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { differencesOf, giveCoins, untilServed, useRazorpay } from "#shared/testing/fakes/razorpay-scene.ts";
import { useStripe } from "#shared/testing/fakes/stripe-scene.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { buildPackage } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { orderCoins } from "./create-order.ts";
import { expireOrders } from "./expire-orders.ts";
import { getWallet } from "./payments.queries.ts";
import { reconcileOrder } from "./reconcile-order.ts";

/** `pick` chooses among what is there when its turn comes. */
type Step = { readonly kind: (typeof kinds)[number]; readonly pick: number; readonly amount: number };

const kinds = [
  "order",
  "pay",
  "reserve",
  "fail",
  "misfit",
  "refund",
  "dispute",
  "win",
  "tell",
  "verify",
  "spend",
  "expire",
  "ask",
] as const;

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(fc.constantFrom(...kinds), fc.constantFrom("pay", "tell", "verify", "refund")),
  pick: fc.nat(1000),
  amount: fc.integer({ min: 1, max: 400 }),
}) as fc.Arbitrary<Step>;

/** What one run knows of the world outside: what was ordered, paid and told, and what was spent. */
interface World {
  readonly user: BuiltUser;
  readonly packageId: string;
  readonly orders: { id: string; at: string }[];
  /** The IDs of orders with reserved money, which we take, and not the provider. */
  readonly reserved: Set<string>;
  readonly payments: Payment[];
  readonly webhooks: Told[];
  spent: number;
}

interface Payment {
  readonly id: string;
  readonly order_id: string | null;
  readonly amount: number;
  readonly amount_refunded: number;
  readonly captured: boolean;
}
interface Told {
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** A provider, as a test drives it. */
interface Provider<P extends Payment> {
  /** Pays an order, or tries to; undefined if the provider doesn't let users. Returns the webhook, too. */
  pay(orderId: string, change: { status?: string; amount?: number }): [payment: P, told: Told] | undefined;
  refund(payment: P, amount: number): Told | undefined;
  /** A bank takes the money back, and gives it back. */
  dispute(payment: P): Told | undefined;
  win(payment: P): Told | undefined;
  /** The money that the payer has back. */
  takenOf(payment: P): number;
  tell(webhook: Told): Promise<void>;
  verify(user: BuiltUser, payment: P): Promise<unknown>;
  signed(body: string): Told;
}

/** How a test drives Razorpay, which reports no disputes that we act on. */
function driveRazorpay(): Provider<ReturnType<ReturnType<typeof useRazorpay>["fake"]["pay"]>> {
  const razorpay = useRazorpay();
  const events = { captured: "payment.captured", authorized: "payment.authorized", failed: "payment.failed" };
  return {
    pay: (orderId, change) => {
      const payment = razorpay.fake.pay(orderId, change as object);
      return [payment, razorpay.fake.webhook(events[payment.status as keyof typeof events], payment)];
    },
    refund: (payment, amount) =>
      razorpay.fake.webhook("refund.processed", payment, razorpay.fake.refund(payment, amount)),
    dispute: () => undefined,
    win: () => undefined,
    takenOf: ({ amount_refunded }) => amount_refunded,
    tell: razorpay.tell,
    verify: razorpay.verify,
    signed: (body) => razorpay.fake.signed(body),
  };
}

function driveStripe(): Provider<NonNullable<ReturnType<ReturnType<typeof useStripe>["fake"]["pay"]>>> {
  const stripe = useStripe();
  const disputeOf = ({ id }: Payment) =>
    stripe.fake.disputes.find((one) => one.payment_intent === id && one.status === "needs_response");
  return {
    pay: (orderId, change) => {
      const payment = stripe.fake.pay(orderId, change);
      const session = stripe.fake.sessions.get(orderId)!;
      const type = session.status === "expired" ? "expired" : "completed";
      return payment && [payment, stripe.fake.webhook(`checkout.session.${type}`, session)];
    },
    refund: (payment, amount) => {
      if (disputeOf(payment)) return undefined;
      stripe.fake.refund(payment, amount);
      return stripe.fake.webhook("charge.refunded", { id: "ch_1", object: "charge", payment_intent: payment.id });
    },
    dispute: (payment) => {
      if (disputeOf(payment) || !payment.captured) return undefined;
      return stripe.fake.webhook("charge.dispute.created", stripe.fake.dispute(payment));
    },
    win: (payment) => {
      const dispute = disputeOf(payment);
      return dispute && stripe.fake.webhook("charge.dispute.closed", Object.assign(dispute, { status: "won" }));
    },
    takenOf: (payment) => stripe.fake.takenOf(payment),
    tell: stripe.tell,
    verify: stripe.verify,
    signed: (body) => stripe.fake.signed(body),
  };
}

for (const [name, drive] of [
  ["Razorpay", driveRazorpay as () => Provider<Payment>],
  ["Stripe", driveStripe as () => Provider<Payment>],
] as const)
  describe(`payments in any order at ${name}`, () => {
    useService();
    const provider = drive();
    const { tell, verify } = provider;
    const allowed = ["ok", "CONFLICT", "ORDER_NOT_PAYABLE", "INSUFFICIENT_BALANCE"];

    async function newWorld(): Promise<World> {
      const [user, pack] = await Promise.all([buildUser(), buildPackage({ coins: 97, price: 400 })]);
      return { user, packageId: pack.id, orders: [], reserved: new Set(), payments: [], webhooks: [], spent: 0 };
    }

    const steps: Record<Step["kind"], (world: World, step: Step) => Promise<unknown>> = {
      order: async ({ user, packageId, orders }) => {
        const { order } = await orderCoins(callerOf(user), packageId);
        orders.push({ id: order.id, at: order.provider_order_id! });
      },
      pay: async (world, { pick }) => payFor(world, pick, {}),
      reserve: async (world, { pick }) => {
        payFor(world, pick, { status: "authorized" });
        const order = chosen(world.orders, pick);
        if (order) world.reserved.add(order.id);
      },
      fail: async (world, { pick }) => payFor(world, pick, { status: "failed" }),
      misfit: async (world, { pick, amount }) => payFor(world, pick, { amount: 400 + amount }),
      refund: async ({ payments, webhooks }, { pick, amount }) => {
        const payment = chosen(payments, pick);
        const left = payment ? payment.amount - payment.amount_refunded : 0;
        if (!payment?.captured || left === 0) return;
        remember(webhooks, provider.refund(payment, Math.min(amount, left)));
      },
      dispute: async ({ payments, webhooks }, { pick }) => {
        const payment = chosen(payments, pick);
        if (payment) remember(webhooks, provider.dispute(payment));
      },
      win: async ({ payments, webhooks }, { pick }) => {
        const payment = chosen(payments, pick);
        if (payment) remember(webhooks, provider.win(payment));
      },
      tell: async ({ webhooks }, { pick, amount }) => {
        const webhook = chosen(webhooks, pick);
        if (!webhook) return;
        // Now and then the same comes as another event.
        const told = amount % 4 === 0 ? provider.signed(webhook.body) : webhook;
        await untilServed(() => tell(told));
      },
      verify: async ({ user, payments }, { pick }) => {
        const payment = chosen(payments, pick);
        if (payment) await untilServed(() => verify(user, payment));
      },
      spend: async (world, { amount }) => {
        await untilServed(() => giveCoins(world.user, -amount));
        world.spent += amount;
      },
      expire: async ({ orders }, { pick }) => {
        const order = chosen(orders, pick);
        if (order) await query("UPDATE payment_orders SET expires_at = now() WHERE id = $1", [order.id]);
        await untilServed(() => expireOrders());
      },
      ask: async ({ orders }, { pick }) => {
        const order = chosen(orders, pick);
        if (order) await untilServed(() => reconcileOrder(order.id));
      },
    };

    const chosen = <T>(among: readonly T[], pick: number): T | undefined => among[pick % Math.max(among.length, 1)];

    const remember = (webhooks: Told[], told: Told | undefined) => told && webhooks.push(told);

    function payFor(world: World, pick: number, change: { status?: string; amount?: number }): void {
      const order = chosen(world.orders, pick);
      const paid = order && provider.pay(order.at, change);
      if (!paid) return;
      world.payments.push(paid[0]);
      world.webhooks.push(paid[1]);
    }

    /** What the wallet and the debt must come to: money taken and kept, in coins, less what was spent. */
    async function expectedOf({ orders, payments, spent }: World): Promise<number> {
      let coins = -spent;
      for (const { id } of orders) {
        const settled = await queryOne<{ provider_payment_id: string }>(
          "SELECT provider_payment_id FROM payments WHERE order_id = $1 AND settles",
          [id],
        );
        const payment = payments.find((one) => one.id === settled?.provider_payment_id);
        if (payment) coins += 97 - Math.floor((97 * provider.takenOf(payment)) / payment.amount);
      }
      return coins;
    }

    async function check(world: World): Promise<void> {
      const { user, orders, payments } = world;
      const { balance, debt } = await getWallet(user.id);
      expect(balance).to.be.at.least(0);
      expect(balance - debt).to.equal(await expectedOf(world));
      const fitting = new Set(payments.filter((one) => one.captured && one.amount === 400).map((one) => one.order_id));
      for (const { id, at } of orders) {
        const order = await queryOne<{ status: string }>("SELECT status FROM payment_orders WHERE id = $1", [id]);
        const settled = ["paid", "refunded"].includes(order!.status);
        expect(settled, `order is ${order!.status}`).to.equal(fitting.has(at));
      }
      const rows = await query<{ id: string }>(
        `SELECT r.id FROM payment_refunds r JOIN payments p ON p.id = r.payment_id JOIN payment_orders o ON o.id = p.order_id
       WHERE o.user_id = $1 UNION ALL SELECT p.id FROM payments p JOIN payment_orders o ON o.id = p.order_id
       WHERE o.user_id = $1`,
        [user.id],
      );
      const ids = [user.id, ...orders.map(({ id }) => id), ...rows.map(({ id }) => id)];
      expect(await differencesOf(...ids)).to.deep.equal([]);
    }

    it("conserve coins over payments, refunds, webhooks and spending in any order, some concurrent", async function () {
      this.timeout(120_000);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), fc.nat(), async (asked, rotation) => {
          const world = await newWorld();
          await steps.order(world, asked[0]!);
          for (let index = 0; index < asked.length; index += 4) {
            const together = asked.slice(index, index + 4).map((one) => outcomeOf(steps[one.kind](world, one)));
            expect(allowed).to.include.members(await Promise.all(together));
          }
          // In the end everything has been told, from somewhere in the middle on.
          const start = rotation % Math.max(world.webhooks.length, 1);
          for (const webhook of [...world.webhooks.slice(start), ...world.webhooks.slice(0, start)])
            await untilServed(() => tell(webhook));
          // A job of an expired order may have taken its reserved money by now, and not settled the order yet.
          for (const id of world.reserved) await untilServed(() => reconcileOrder(id));
          await check(world);
        }),
        { numRuns: 30, includeErrorInReport: true },
      );
    });
  });
