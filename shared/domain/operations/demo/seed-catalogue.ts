import type { OrderField } from "#shared/contracts/catalogue-views.ts";
import { service } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { alone, type Tx } from "#shared/db/transaction.ts";
import { importCodes } from "#shared/domain/catalogue/codes/import-codes.ts";
import {
  CardModel,
  CardServiceModel,
  CategoryModel,
  DiscountModel,
  GatewayModel,
  ServiceModel,
  TopUpModel,
} from "#shared/domain/catalogue/products/catalogue.models.ts";
import { hashSecret } from "#shared/domain/identity/api-keys/secrets.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { demoCards, demoCategories, demoGateways, demoTopUps } from "./demo-catalogue.ts";
import { demoPicture, slugOf } from "./demo-pictures.ts";

/** The key pair of the first demo person: public, as their password is. */
export const demoKeys = {
  publicKey: "pk_demo",
  secretKey: "sk_demo_of_the_catalogue_for_development_only",
} as const;

/** 1,000 USD, in 1/10,000. */
const demoCredit = 10_000_000;

/** Step: makes a demo person a customer with credit, with the demo keys, unless they exist. */
export async function seedKeys(tx: Tx, username: string): Promise<void> {
  await tx.query(
    `WITH customer AS (
       INSERT INTO catalogue_customers (user_id, status) SELECT id, 'approved' FROM users WHERE username = $1
       ON CONFLICT (user_id) DO UPDATE SET status = 'approved' RETURNING id
     )
     INSERT INTO catalogue_credit (customer_id, currency, credit_limit) SELECT id, 'USD', ${demoCredit} FROM customer
     ON CONFLICT DO NOTHING`,
    [username],
  );
  await tx.query(
    `INSERT INTO api_keys (id, user_id, name, public_key, secret_hash)
     SELECT $1, id, 'Demo', $2, $3 FROM users WHERE username = $4 ON CONFLICT (public_key) DO NOTHING`,
    [newId(), demoKeys.publicKey, hashSecret(demoKeys.secretKey), username],
  );
}

/** Revokes the demo keys: everyone knows them. */
export const revokeDemoKeys = () => alone("DELETE FROM api_keys WHERE public_key = $1", [demoKeys.publicKey]);

const playerId: OrderField = {
  field_value: "Player ID",
  field_name: "Player_Id",
  field_placeholder: "1234 5678",
  field_note: "It is in your profile.",
  field_type: "text",
};
const server: OrderField = {
  field_value: "Server",
  field_name: "Server",
  field_placeholder: "Choose a server",
  field_note: "",
  field_type: "select",
  option: { asia: "Asia", europe: "Europe", america: "America" },
};

/** Step: fills the catalogue, unless it has a category. */
export async function seedCatalogue(tx: Tx): Promise<void> {
  if ((await tx.query("SELECT 1 FROM catalogue_categories LIMIT 1")).length > 0) return;
  const categoryIds: number[] = [];
  for (const category of demoCategories) categoryIds.push((await CategoryModel.create({ ...category })).id);
  for (const topUp of demoTopUps) await seedTopUp(topUp, categoryIds[topUp.category]!);
  for (const card of demoCards) await seedCard(card, categoryIds[2]!);
  for (const gateway of demoGateways)
    await GatewayModel.create({
      ...gateway,
      image_url: demoPicture("catalogue", gateway.code),
      currencies: { USD: "USD" },
    });
}

const productOf = ({ name, text }: { name: string; text: string }) => ({
  name,
  slug: slugOf(name),
  region: "Global",
  image_url: demoPicture("catalogue", name),
  preview_url: demoPicture("catalogue", name),
  description: `<p>${text}</p>`,
  guide: "<ol><li>Choose an amount.</li><li>Enter what is asked for.</li></ol>",
  instant_delivery: 1,
});

const serviceOf = (product: string, name: string, price: string, discount = "0") => ({
  name,
  price,
  discount,
  currency: "USD",
  image_url: demoPicture("catalogue", product),
});

const codesEach = 25;

/** Fills the stock of the demo cards that have never had a code. The codes are random, and worth nothing. */
export async function seedCodes(): Promise<void> {
  const empty = await query<{ id: number }>(
    `SELECT s.id FROM catalogue_card_services s JOIN catalogue_cards p ON p.id = s.card_id
     WHERE p.slug = ANY ($1::text[]) AND NOT EXISTS (SELECT 1 FROM catalogue_codes c WHERE c.service_id = s.id)`,
    [demoCards.map(({ name }) => slugOf(name))],
  );
  for (const { id } of empty) {
    const codes = Array.from({ length: codesEach }, () => `DEMO-${newId().slice(-17).toUpperCase()}`);
    await importCodes(service, id, Buffer.from(codes.join("\n")));
  }
}

async function seedTopUp(topUp: (typeof demoTopUps)[number], category_id: number): Promise<void> {
  const order_information = topUp.hasServers ? [playerId, server] : [playerId];
  const { id: top_up_id } = await TopUpModel.create({ ...productOf(topUp), category_id, order_information });
  for (const [index, price] of ["0.99", "4.99", "9.99"].entries()) {
    const discount = index === 1 ? topUp.discount : "0";
    const name = `${[60, 325, 700][index]} ${topUp.unit}`;
    const { id: service_id } = await ServiceModel.create({
      ...serviceOf(topUp.name, name, price, discount),
      top_up_id,
    });
    if (index === 2 && topUp.hasCampaign) await seedCampaign(service_id);
  }
}

async function seedCampaign(service_id: number): Promise<void> {
  const [starts_at, ends_at] = [new Date(clock.now()), new Date(clock.now() + daysMs(30))];
  await DiscountModel.create({ service_id, price: "7.99", discount: "5", max_sell: 100, starts_at, ends_at });
}

async function seedCard(card: (typeof demoCards)[number], category_id: number): Promise<void> {
  const { id: card_id } = await CardModel.create({ ...productOf(card), category_id, trending: card.trending });
  for (const [amount, discount] of [
    ["10", "0"],
    ["25", "2"],
  ] as const)
    await CardServiceModel.create({ ...serviceOf(card.name, `USD ${amount}`, amount, discount), card_id });
}
