import type { OrderField } from "#shared/contracts/catalogue-views.ts";
import { type KeyHolderPrincipal, service as serviceItself } from "#shared/contracts/principal.ts";
import { hashRequest } from "#shared/db/idempotency.ts";
import { query } from "#shared/db/query.ts";
import { importCodes } from "#shared/domain/catalogue/codes/import-codes.ts";
import { placeOrder } from "#shared/domain/catalogue/orders/place-order.ts";
import {
  CardModel,
  CardServiceModel,
  CategoryModel,
  DiscountModel,
  ServiceModel,
  TopUpModel,
} from "#shared/domain/catalogue/products/catalogue.models.ts";
import { addReview } from "#shared/domain/catalogue/reviews/add-review.ts";
import { createApiKey } from "#shared/domain/identity/api-keys/api-keys.ts";
import { issueToken } from "#shared/domain/identity/api-keys/api-tokens.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "./factories.ts";
import { callerOf } from "./people.ts";

const image = { image_url: "https://cdn.example.com/images/a.png" };

/** A text and a select. */
export const orderInformation: readonly OrderField[] = [
  { field_value: "Player ID", field_name: "Player_Id", field_placeholder: "", field_note: "", field_type: "text" },
  {
    field_value: "Game Server",
    field_name: "Server",
    field_placeholder: "",
    field_note: "",
    field_type: "select",
    option: { eu: "Europe", as: "Asia" },
  },
];

interface TopUpParts {
  /** Columns of the top-up that differ from the usual. */
  readonly topUp?: object;
  readonly service?: object;
  /** Of the service; none without it. */
  readonly campaign?: object;
}

/** Builds a top-up with a category of its own, and with one service. */
export async function buildTopUp({ topUp, service, campaign }: TopUpParts = {}) {
  const slug = `game-${newId()}`;
  const { id: category_id } = await CategoryModel.create({ name: "Games", icon: "fa-chess", type: "top_up" });
  const { id } = await TopUpModel.create({
    ...image,
    category_id,
    name: "Game",
    slug,
    region: "Global",
    preview_url: image.image_url,
    order_information: orderInformation,
    ...topUp,
  });
  const priced = { name: "100 gems", currency: "USD", price: "9.99", discount: "10", ...image };
  const { id: serviceId } = await ServiceModel.create({ ...priced, top_up_id: id, ...service });
  if (campaign) {
    const [starts_at, ends_at] = [new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000)];
    const cheap = { service_id: serviceId, price: "5", discount: "1", discount_type: "flat", max_sell: 50 };
    await DiscountModel.create({ ...cheap, starts_at, ends_at, ...campaign });
  }
  return { id, slug, category_id, serviceId };
}

/** The fields of an order of a top-up of `buildTopUp`. */
export const orderOf = ({ id, serviceId }: { id: number; serviceId: number }) => ({
  topUpId: id,
  serviceId,
  Player_Id: "1234",
  Server: "eu",
});

interface CardParts {
  /** Columns of the card that differ from the usual. */
  readonly card?: object;
  readonly service?: object;
  /** How many codes are in stock. */
  readonly codes?: number;
}

/** Builds a card with instant delivery, with one service. Returns its codes, too. */
export async function buildCard({ card, service, codes: stock = 1 }: CardParts = {}) {
  const { id: category_id } = await CategoryModel.create({ name: "Cards", icon: "fa-gift", type: "card" });
  const product = { name: "Card", slug: `card-${newId()}`, region: "Global", preview_url: image.image_url, ...image };
  const { id } = await CardModel.create({ ...product, category_id, instant_delivery: 1, ...card });
  const priced = { name: "USD 10", currency: "USD", price: "10", ...image };
  const { id: serviceId } = await CardServiceModel.create({ ...priced, card_id: id, ...service });
  const codes = Array.from({ length: stock }, () => `CODE-${newId()}`);
  if (stock > 0) await importCodes(serviceItself, serviceId, Buffer.from(codes.join("\n")));
  return { id, category_id, serviceId, codes, form: { cardId: id, serviceId } };
}

/** Makes a user an approved customer, with these credit limits: by default more than tests spend. */
export async function approveCustomer(userId: string, credit: Readonly<Record<string, number>> = plenty) {
  await query(
    `INSERT INTO catalogue_customers (user_id, status) VALUES ($1, 'approved')
     ON CONFLICT (user_id) DO UPDATE SET status = 'approved'`,
    [userId],
  );
  await query(
    `INSERT INTO catalogue_credit (customer_id, currency, credit_limit)
     SELECT id, key, value::bigint * 10000 FROM catalogue_customers, jsonb_each_text($2::jsonb) WHERE user_id = $1
     ON CONFLICT (customer_id, currency) DO UPDATE SET credit_limit = EXCLUDED.credit_limit`,
    [userId, JSON.stringify(credit)],
  );
}
const plenty = Object.fromEntries(["USD", "EUR", "INR", "JPY", "KWD"].map((currency) => [currency, 1_000_000]));

/** Builds an approved customer with a key pair and a bearer token. */
export async function buildReseller(credit?: Readonly<Record<string, number>>) {
  const owner = await buildUser();
  await approveCustomer(owner.id, credit);
  const key = await createApiKey(callerOf(owner), { name: "Shop", allowed_addresses: [] });
  const token = await issueToken(key.public_key, key.secret_key, "127.0.0.1");
  const caller: KeyHolderPrincipal = { kind: "key_holder", keyId: key.id, userId: owner.id };
  return { owner, key, token, caller };
}

/** Lets a user order and review with this text. */
export async function buildMarkedCustomer(userId: string, mark: string): Promise<void> {
  const caller: KeyHolderPrincipal = { kind: "key_holder", keyId: newId(), userId };
  const topUp = await buildTopUp();
  await approveCustomer(userId);
  await placeOrder(
    caller,
    { ...orderOf(topUp), Player_Id: mark },
    { scope: `${userId} order`, key: mark, requestHash: hashRequest(mark) },
  );
  await addReview(caller, { topUpId: topUp.id, rating: 5, comment: mark });
}
