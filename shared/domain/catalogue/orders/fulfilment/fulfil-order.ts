import pLimit from "p-limit";
import { service } from "#shared/contracts/principal.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { cancelOrder, completeOrder, startOrder } from "#shared/domain/catalogue/orders/order-steps.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Delivery, FulfilmentProvider, OrderToDeliver } from "./provider.ts";

/** Asks the provider about one order, when it was placed and again as long as the outcome is unknown. */
export const fulfilJob = defineJob<{ order_id: number }>("catalogue.fulfil", {
  retries: 3,
  retryMaxSeconds: 60,
  timeoutSeconds: 90,
});

/** Finds the orders that no job asks about, such as after a crash. Run every minute. */
export const fulfilDueJob = defineJob("catalogue.fulfil_due", {
  retries: 0,
  retryMaxSeconds: 60,
  timeoutSeconds: 300,
  exclusive: true,
});

/** How long a provider may take to answer, milliseconds. Two calls and their recording fit into the time of a claim. */
const answerWithinMs = 20_000;
/** How long a process has an order for itself, seconds. Another one takes over then. */
const claimSeconds = 60;
/** How many orders a run of the minute asks about. */
const batchSize = 50;
/** How many of them at the same time. */
const atOnce = 10;
const problemLength = 200;

let provider: FulfilmentProvider | undefined;

/** Sets the provider of instant deliveries. Without one, administrators complete all orders. Called at the start. */
export function configureFulfilment(chosen: FulfilmentProvider | undefined): void {
  provider = chosen;
}

/** Returns whether a provider delivers orders at once. */
export const deliversInstantly = (): boolean => provider !== undefined;

interface Claimed {
  readonly was: "placed" | "processing";
  readonly product_name: string;
  readonly service_name: string;
  readonly order_information: { field_name: string; value: string }[] | null;
  readonly tries: number;
}

/**
 * Asks the provider to deliver an order, and records the outcome. The order is `processing` before the provider is
 * called, so that no call is forgotten. After an unknown outcome, or a crash, the provider is first asked what became
 * of the order. It is sent again only if the provider never received it, and with the same key.
 */
export async function fulfilOrder(orderId: number): Promise<void> {
  const asked = provider;
  if (!asked) return;
  const claimed = await claimOrder(orderId, asked.name);
  if (!claimed) return;

  const order = {
    id: orderId,
    topUp: claimed.product_name,
    service: claimed.service_name,
    input: Object.fromEntries((claimed.order_information ?? []).map(({ field_name, value }) => [field_name, value])),
  };
  const delivery = await ask(asked, order, claimed.was).catch((error: unknown) => {
    logger.warn(
      { err: error, orderId, tries: claimed.tries },
      "the outcome of a delivery is unknown; it is asked again",
    );
    return { status: "unknown", problem: String(error).slice(0, problemLength) } as const;
  });
  await record(orderId, claimed.tries, delivery);
}

async function ask(asked: FulfilmentProvider, order: OrderToDeliver, was: Claimed["was"]): Promise<Delivery> {
  const found = was === "processing" ? await asked.find(order.id, AbortSignal.timeout(answerWithinMs)) : undefined;
  return found ?? asked.deliver(order, AbortSignal.timeout(answerWithinMs));
}

/**
 * Lets this process ask about an order that is due, for a time. Returns undefined if another one does, or it has ended.
 */
const claimOrder = (orderId: number, name: string): Promise<Claimed | undefined> =>
  inTransaction(async (tx) => {
    const [claimed] = await tx.query<Claimed>(
      `UPDATE catalogue_orders SET provider = $2, tries = tries + 1,
         asking_until = now() + $3 * interval '1 second', next_try_at = now() + $3 * interval '1 second'
       WHERE id = $1 AND next_try_at <= now() AND coalesce(provider, $2) = $2
         AND (asking_until IS NULL OR asking_until <= now())
       RETURNING status AS was, product_name, service_name, order_information, tries`,
      [orderId, name, claimSeconds],
    );
    if (claimed?.was === "placed") await startOrder(tx, orderId);
    return claimed;
  });

/** Seconds until the provider is asked again: 5, 10, 20 … at most an hour. */
const pauseAfter = (tries: number): number => Math.min(5 * 2 ** Math.min(tries - 1, 20), 3600);

type Outcome = Delivery | { readonly status: "unknown"; readonly problem: string };

const record = (orderId: number, tries: number, outcome: Outcome): Promise<void> =>
  inTransaction(async (tx) => {
    if (outcome.status === "completed" || outcome.status === "failed") {
      const ended =
        outcome.status === "completed"
          ? await completeOrder(tx, orderId, { delivery: outcome.reference })
          : await cancelOrder(tx, service, orderId, outcome.reason);
      if (!ended) logger.error({ orderId, outcome }, "the provider's outcome came after the order had ended");
      return;
    }

    const afterSeconds = pauseAfter(tries);
    await tx.query(
      `UPDATE catalogue_orders SET asking_until = NULL, problem = $2, next_try_at = now() + $3 * interval '1 second'
       WHERE id = $1 AND status = 'processing'`,
      [orderId, outcome.status === "unknown" ? outcome.problem : null, afterSeconds],
    );
    await tx.enqueue(fulfilJob, { order_id: orderId }, { afterSeconds });
  });

/** Asks about the orders that are due. */
export async function fulfilDueOrders(): Promise<void> {
  const due = await query<{ id: number }>(
    `SELECT id FROM catalogue_orders WHERE next_try_at <= now() ORDER BY next_try_at LIMIT ${batchSize}`,
  );
  const limited = pLimit(atOnce);
  await limited.map(due, ({ id }) =>
    fulfilOrder(id).catch((error: unknown) => {
      logger.warn({ err: error, orderId: id }, "the delivery of an order was not recorded; it is asked again");
    }),
  );
}
