import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { WebhookDelivery } from "#shared/contracts/views.ts";
import { query, queryColumn } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { configureWebhooks } from "#shared/domain/base/webhooks/post-webhook.ts";
import { queueWebhook } from "#shared/domain/catalogue/webhooks/deliveries.ts";
import { createWebhook } from "#shared/domain/catalogue/webhooks/webhooks.ts";
import type { BuiltUser } from "./factories.ts";
import { callerOf } from "./people.ts";

/** Lets webhooks reach this machine, the default in tests. */
export const allowLoopback = (): void => configureWebhooks({ allowLoopback: true });

allowLoopback();

/** Returns what a webhook says of an order. */
export const orderSent = (id: number): WebhookDelivery["payload"]["data"] => ({
  id,
  kind: "card",
  top_up_id: null,
  card_id: 1,
  service_id: 1,
  status: "completed",
  updated_at: "2026-01-31T12:00:00.123456Z",
});

/** Builds a webhook of a user. By default, its server doesn't exist. */
export const buildWebhook = (owner: BuiltUser, url = "https://shop.invalid/hubbub") =>
  createWebhook(callerOf(owner), { url });

/** Builds a webhook with a delivery that has been sent. */
export async function buildSentDelivery(owner: BuiltUser): Promise<{ id: string; deliveryId: string }> {
  const { id } = await buildWebhook(owner);
  await query("UPDATE webhook_endpoints SET failing_since = now() WHERE id = $1", [id]);
  await inTransaction((tx) => queueWebhook(tx, owner.id, "order.updated", orderSent(1)));
  const [deliveryId] = await queryColumn(
    `UPDATE webhook_deliveries SET status = 'delivered', delivered_at = now(), next_try_at = NULL
     WHERE endpoint_id = $1 RETURNING id`,
    [id],
  );
  return { id, deliveryId: deliveryId! };
}

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The server of a reseller or an operator: it keeps what it receives, and answers with `status`. */
export class Receiver {
  readonly received: Received[] = [];
  /** 0: never answers. */
  status = 200;
  /** Instead, by what it receives. */
  statusOf: (body: string) => number = () => this.status;
  readonly #server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    this.received.push({ headers: req.headers, body });
    const status = this.statusOf(body);
    if (status === 0) return;
    res.writeHead(status, { location: this.url }).end("x".repeat(100_000));
  });
  url = "";

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    receiver.url = `http://127.0.0.1:${(receiver.#server.address() as AddressInfo).port}/hook`;
    return receiver;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
