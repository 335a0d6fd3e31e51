import { setTimeout as pause } from "node:timers/promises";
import type { FakeStores, StoreNotice, StorePurchase } from "#shared/testing/fakes/purchases-at-stores.ts";
import type { Dice } from "./dice.ts";
import type { Outcome } from "./journal.ts";
import type { Act, Person } from "./person.ts";
import type { World } from "./world.ts";

/** A purchase that its store has told of, or will. */
interface Sold {
  readonly purchase: StorePurchase;
  /** Whether its store may refund it now: its buyer knows its order. */
  isRefundable: boolean;
}

const deliverEveryMs = 60;

/** All stores, which deliver each notice until the service has received it, and now and then once more. */
export class StoreDesk {
  readonly sold: Sold[] = [];
  readonly #stores: FakeStores;
  readonly #dice: Dice;
  readonly #atStripe = new Map<string, Promise<Sold>>();
  #due: StoreNotice[] = [];
  readonly #delivered: StoreNotice[] = [];

  constructor(stores: FakeStores, dice: Dice) {
    this.#stores = stores;
    this.#dice = dice;
  }

  /** Buys coins in an app. */
  async buy(product: { readonly store: "apple" | "google"; readonly id: string }, userId: string): Promise<Sold> {
    const { store, id } = product;
    return this.#keep(
      store === "apple" ? await this.#stores.buyAtApple(id, userId) : this.#stores.buyAtGoogle(id, userId, true),
    );
  }

  /** Pays an order at Stripe, once. */
  pay(sessionId: string): Promise<Sold> {
    const paid = this.#atStripe.get(sessionId) ?? this.#keep(this.#stores.payAtStripe(sessionId));
    this.#atStripe.set(sessionId, paid);
    return paid;
  }

  async #keep(purchase: StorePurchase): Promise<Sold> {
    const sold = { purchase, isRefundable: false };
    this.sold.push(sold);
    this.tell(await purchase.bought());
    return sold;
  }

  /** Has a notice delivered. */
  tell(notice: StoreNotice | undefined): void {
    if (notice) this.#due.push(notice);
  }

  /** Delivers notices in any order until the signal. */
  async deliver(world: World, until: AbortSignal): Promise<void> {
    for (; !until.aborted; await pause(deliverEveryMs)) {
      const again = this.#dice.chance(0.1) && this.#delivered.length > 0;
      await this.#deliverOne(world, this.#dice.pick(again ? this.#delivered : this.#due));
    }
  }

  /** Delivers all that is due. Returns what the service doesn't receive. */
  async deliverAll(world: World, deadlineMs: number): Promise<string[]> {
    for (;;) {
      await Promise.all(this.#due.map((notice) => this.#deliverOne(world, notice)));
      if (this.#due.length === 0) return [];
      if (performance.now() > deadlineMs) return [`${this.#due.length} notices of stores aren't received.`];
      await pause(deliverEveryMs);
    }
  }

  async #deliverOne(world: World, notice: StoreNotice | undefined): Promise<void> {
    if (!notice) return;
    const { store, body, headers } = notice;
    const path = `/api/v1/payments/webhook/${store}`;
    const answer = await world.send(this.#dice.pick(world.cluster.nodes), path, { method: "POST", headers, body });
    if ("kind" in answer || answer.status !== 200)
      return world.journal.count(`notice of ${store}: ${"kind" in answer ? answer.code : answer.status}`);
    this.#due = this.#due.filter((one) => one !== notice);
    this.#delivered.push(notice);
  }
}

/** Presents a purchase to the service, as the buyer's app does. */
export async function present(person: Person, sold: Sold, isRefundable = true): Promise<Outcome> {
  const { path, body } = sold.purchase.proof;
  const outcome = await person.call("post", `/payments/${path}`, body);
  if (outcome.kind === "done") sold.isRefundable = isRefundable;
  return outcome;
}

/** A store refunds some purchase, or takes that back. */
async function refund(person: Person, { desk }: World): Promise<void> {
  const sold = person.dice.pick(desk.sold.filter(({ isRefundable }) => isRefundable));
  if (!sold) return;
  desk.tell(
    person.dice.chance(0.4) ? await sold.purchase.reverse() : await sold.purchase.refund(person.dice.chance(0.5)),
  );
}

export const storeActs: readonly Act[] = [{ name: "refund", weight: 1, run: refund }];

interface Booked {
  readonly id: string;
  readonly credit: number;
  readonly credits: number;
  readonly refunds: number;
  readonly taken: number;
}

type Rows = <Row extends object>(sql: string) => Promise<Row[]>;

/** Each purchase was credited once, each refund debited once at most, and what the buyer has back was taken. */
export async function checkStores({ desk }: World, rows: Rows): Promise<string[]> {
  const booked = await rows<Booked>(
    `SELECT o.provider_order_id AS id, o.credit, count(r.id) AS refunds,
       coalesce(sum(r.credit - coalesce(v.credit, 0)), 0)::bigint AS taken,
       (SELECT count(*) FROM ledger_movements m WHERE m.reference_type = 'payment_order' AND m.reference_id = o.id) AS credits
     FROM payment_orders o JOIN payments p ON p.order_id = o.id LEFT JOIN payment_refunds r ON r.payment_id = p.id
       LEFT JOIN payment_refund_reversals v ON v.refund_id = r.id GROUP BY o.id`,
  );
  const byId = new Map(booked.map((one) => [one.id, one]));
  return desk.sold.flatMap(({ purchase: { store, id, refunds, returned } }) => {
    const found = byId.get(id);
    if (!found) return [`Purchase ${id} at ${store} was never credited.`];
    const due = Math.floor((found.credit * returned[0]) / returned[1]);
    const isRight = found.credits === 1 && found.refunds <= refunds && found.taken === due;
    return isRight
      ? []
      : [
          `Purchase ${id} at ${store} was credited ${found.credits} times, and ${found.taken} were taken for ${found.refunds} refunds, not ${due} for ${refunds}.`,
        ];
  });
}
