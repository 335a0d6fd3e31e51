import { createApiKey } from "#shared/domain/identity/api-keys/api-keys.ts";
import { issueToken } from "#shared/domain/identity/api-keys/api-tokens.ts";
import { deriveAdminSecret } from "#shared/domain/operations/admins/admin-token.ts";
import { configureSealing, deriveEncryptionKey } from "#shared/kernel/seal.ts";
import { approveCustomer, buildCard, buildTopUp, orderOf } from "#shared/testing/catalogue.ts";
import { callerOf } from "#shared/testing/people.ts";
import { buildPackage, buildProduct } from "#shared/testing/sales.ts";
import { jwtSecret } from "./cluster.ts";
import type { Entry, Outcome, RowKind } from "./journal.ts";
import type { Act, Person } from "./person.ts";
import { present } from "./stores.ts";
import type { World } from "./world.ts";

/** What is for sale. */
export interface Shop {
  readonly topUp: Parameters<typeof orderOf>[0];
  readonly card: { readonly cardId: number; readonly serviceId: number };
  readonly packageId: string;
  /** The package at the stores of apps. */
  readonly products: readonly { readonly store: "apple" | "google"; readonly id: string }[];
}

/** More than a run sells. */
const stock = 10_000;

/** Fills the shop. Needs the open database. */
export async function openShop(): Promise<Shop> {
  configureSealing({ secrets: [deriveEncryptionKey(jwtSecret)], adminSecret: deriveAdminSecret(jwtSecret) });
  const topUp = await buildTopUp({ service: { price: "2.5", discount: "0" } });
  const { form } = await buildCard({ codes: stock, service: { price: "1.25" } });
  const { id: packageId } = await buildPackage({ coins: 20 });
  const stores = ["apple", "google"] as const;
  const products = await Promise.all(
    stores.map(async (store) => ({ store, id: await buildProduct({ coin_package_id: packageId }, { store }) })),
  );
  return { topUp, card: form, packageId, products };
}

/** Makes a user a customer, who has no credit. Returns a bearer token of a key of theirs. */
export async function openAccount(userId: string): Promise<string> {
  await approveCustomer(userId, {});
  const { public_key, secret_key } = await createApiKey(callerOf({ id: userId }), {
    name: "Shop",
    allowed_addresses: [],
  });
  return issueToken(public_key, secret_key, "127.0.0.1");
}

/** The rows that buyers write, each call exactly one. */
export const saleKinds = {
  order: { name: "catalogue orders", sql: "SELECT id FROM catalogue_orders" },
  code: { name: "shown codes", sql: "SELECT order_id AS id FROM catalogue_codes WHERE shown_at IS NOT NULL" },
  payment: { name: "paid orders", sql: "SELECT id FROM payment_orders WHERE status IN ('paid', 'refunded')" },
} as const satisfies Record<string, RowKind>;

const pickNode = (person: Person, world: World) => person.dice.pick(world.cluster.nodes);

/** Calls the catalogue API. */
async function callCatalogue(person: Person, world: World, path: string, form: object): Promise<Outcome> {
  const answer = await world.send(pickNode(person, world), `/catalogue${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${person.bearerToken}`, "content-type": "application/json" },
    body: JSON.stringify(form),
  });
  if ("kind" in answer) return answer;
  const { status, body } = answer;
  if (status === 200) return { kind: "done", data: (JSON.parse(body) as { message: unknown }).message };
  const isUnclear = status >= 500 || status === 429;
  return { kind: isUnclear ? "unknown" : "refused", code: `catalogue ${status} ${body.slice(0, 100)}` };
}

const placed = /^Order (\d+) has been placed\.$/;

/** Orders at the catalogue. */
async function order(person: Person, world: World, path: string, form: object): Promise<Entry> {
  const key = world.newKey();
  return world.journal.write({ kind: saleKinds.order, key, by: `${person.name} in the catalogue` }, async () => {
    const outcome = await callCatalogue(person, world, path, { ...form, idempotency_key: key });
    return outcome.kind === "done" ? { kind: "done", data: { id: placed.exec(outcome.data as string)![1] } } : outcome;
  });
}

const orderTopUp = (person: Person, world: World) =>
  order(person, world, "/top-up/make-order", orderOf(world.goods.shop.topUp));

async function orderCard(person: Person, world: World): Promise<void> {
  const { id } = await order(person, world, "/card/make-order", world.goods.shop.card);
  if (id !== undefined) person.unread.push(id);
}

/** Asks for the code of a card that the person has ordered, with one key, until it is shown. */
async function readCode(person: Person, world: World): Promise<void> {
  const orderId = person.unread.pop();
  if (orderId === undefined) return;
  const key = world.newKey();
  await world.journal.write({ kind: saleKinds.code, key, by: `${person.name} with codes` }, async () => {
    const outcome = await callCatalogue(person, world, `/orders/${orderId}/code`, { idempotency_key: key });
    if (outcome.kind !== "done") return outcome;
    const { code } = outcome.data as { code: string };
    const first = world.codes.get(code) ?? orderId;
    world.codes.set(code, orderId);
    if (first !== orderId) world.fault(`The code of order ${first} was sold again with order ${orderId}.`);
    return { kind: "done", data: { id: orderId } };
  });
}

interface OrderToPay {
  readonly providerPayload: { readonly order_id: string };
}

/** Pays an order at Stripe. It is done when the service has verified that. */
async function pay(person: Person, world: World, ordered: Outcome, isRefundable = true): Promise<Outcome> {
  if (ordered.kind !== "done") return ordered;
  const { order_id } = (ordered.data as OrderToPay).providerPayload;
  return present(person, await world.desk.pay(order_id), isRefundable);
}

function buyCoins(person: Person, world: World): Promise<Entry> {
  const key = world.newKey();
  const body = { package_id: world.goods.shop.packageId };
  return world.journal.write({ kind: saleKinds.payment, key, by: `${person.name} with coins` }, async () =>
    pay(person, world, await person.call("post", "/payments/orders", body, { "idempotency-key": key })),
  );
}

/** Buys coins in an app, which may not come back before calls are repeated: then the store's notice is first. */
function buyInApp(person: Person, world: World): Promise<Entry> {
  const key = world.newKey();
  const product = person.dice.pick(world.goods.shop.products);
  const isAway = person.dice.chance(0.3);
  let buying: ReturnType<World["desk"]["buy"]> | undefined;
  return world.journal.write({ kind: saleKinds.payment, key, by: `${person.name} in an app` }, async () => {
    const isFirst = !buying;
    buying ??= world.desk.buy(product, person.account.id);
    const sold = await buying;
    return isFirst && isAway ? { kind: "unknown", code: "away" } : present(person, sold);
  });
}

function deposit(person: Person, world: World): Promise<Entry> {
  const key = world.newKey();
  const form = { amount: "10.00", currency: "USD", idempotency_key: key };
  return world.journal.write({ kind: saleKinds.payment, key, by: `${person.name} with deposits` }, async () =>
    pay(person, world, await callCatalogue(person, world, "/balance/deposits", form), false),
  );
}

/** What buyers do. */
export const saleActs: readonly Act[] = [
  { name: "order top-up", weight: 2, run: orderTopUp },
  { name: "order card", weight: 2, run: orderCard },
  { name: "read code", weight: 2, run: readCode },
  { name: "deposit", weight: 1, run: deposit },
  { name: "buy coins", weight: 1, run: buyCoins },
  { name: "buy in an app", weight: 2, run: buyInApp },
];

/** Selects what is wrong with orders, codes, and prepaid balances, as sentences. */
const wrongSales = `
  SELECT 'Order ' || o.id || ' has ' || count(c.id) || ' codes.' AS text FROM catalogue_orders o
  LEFT JOIN catalogue_codes c ON c.order_id = o.id WHERE o.card_id IS NOT NULL GROUP BY o.id HAVING count(c.id) <> 1
  UNION ALL
  SELECT 'Card ' || p.id || ' counts ' || p.sell_count || ' sales.' FROM catalogue_cards p
  WHERE p.sell_count <> (SELECT count(*) FROM catalogue_orders o WHERE o.card_id = p.id)
  UNION ALL
  SELECT 'Order ' || o.id || ' is paid ' || count(p.id) || ' times.' FROM catalogue_orders o
  LEFT JOIN catalogue_payments p ON p.order_id = o.id GROUP BY o.id HAVING count(p.id) <> 1
  UNION ALL
  SELECT 'The balance of ' || w.user_id || ' is ' || w.balance || ', not ' || due.balance || '.' FROM wallets w,
    LATERAL (SELECT (SELECT coalesce(sum(credit), 0) FROM payment_orders d
        WHERE d.user_id = w.user_id AND d.kind = 'deposit' AND d.status = 'paid')
      - (SELECT coalesce(sum(o.total * 10000), 0) FROM catalogue_orders o
          JOIN catalogue_customers k ON k.id = o.customer_id WHERE k.user_id = w.user_id) AS balance) AS due
  WHERE w.asset = 'USD' AND w.balance <> due.balance
  LIMIT 20`;

type Rows = <Row extends object>(sql: string) => Promise<Row[]>;

/**
 * Each card's order has one code, each order is paid once, and balances are what was deposited, less what was bought.
 */
export async function checkSales(rows: Rows): Promise<string[]> {
  return (await rows<{ text: string }>(wrongSales)).map(({ text }) => text);
}
