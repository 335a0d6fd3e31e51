import { query } from "#shared/db/query.ts";
import { OfferModel } from "#shared/domain/money/offers/offer.model.ts";
import { getWallet } from "#shared/domain/money/payments/payments.queries.ts";
import { newId } from "#shared/kernel/ids.ts";

/** Items for sale, and what they are paid with. */

/** Returns the coins in a user's wallet. */
export const walletBalance = async (userId: string): Promise<number> => (await getWallet(userId)).balance;

export interface BuiltPackage {
  id: string;
  coins: number;
  bonus_coins: number;
  price: number;
  currency: string;
}

/** `price` in the currency's smallest unit. */
export async function buildPackage(overrides: Partial<Omit<BuiltPackage, "id">> = {}): Promise<BuiltPackage> {
  const built = { id: newId(), coins: 100, bonus_coins: 0, price: 9_900, currency: "INR", ...overrides };
  await query(
    "INSERT INTO coin_packages (id, name, coins, bonus_coins, price, currency) VALUES ($1, $2, $3, $4, $5, $6)",
    [built.id, `Package ${built.id}`, built.coins, built.bonus_coins, built.price, built.currency],
  );
  return built;
}

let productsBuilt = 0;

/** Builds the product at a store of a package or a plan. Returns its ID at the store. */
export async function buildProduct(
  sells: { coin_package_id: string } | { vip_plan_id: string },
  { store = "apple", prices = [] as readonly object[] } = {},
): Promise<string> {
  productsBuilt += 1;
  const productId = `com.example.p${process.pid}.${productsBuilt}`;
  const [column, id] = Object.entries(sells)[0]!;
  await query(`INSERT INTO store_products (id, store, product_id, ${column}, prices) VALUES ($1, $2, $3, $4, $5)`, [
    newId(),
    store,
    productId,
    id,
    JSON.stringify(prices),
  ]);
  return productId;
}

/** `price` in coins. */
export async function buildFrame(overrides: { price?: number; duration_days?: number | null } = {}) {
  const built = { id: newId(), price: 30, duration_days: null, ...overrides };
  const shown = { name: `Frame ${built.id}`, image_url: "https://cdn.example.com/f.png" };
  await query("INSERT INTO frames (id, name, image_url, price, duration_days) VALUES ($1, $2, $3, $4, $5)", [
    built.id,
    shown.name,
    shown.image_url,
    built.price,
    built.duration_days,
  ]);
  return { ...built, ...shown };
}

/** `price` in the currency's smallest unit. */
export async function buildPlan(overrides: { price?: number; duration_days?: number; renews?: boolean } = {}) {
  const built = { id: newId(), price: 29_900, currency: "INR", duration_days: 30, renews: false, ...overrides };
  const shown = { name: `Plan ${built.id}`, badge_url: "https://cdn.example.com/b.png", benefits: ["A badge"] };
  await query(
    `INSERT INTO vip_plans (id, name, price, currency, duration_days, renews, benefits, badge_url)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      built.id,
      shown.name,
      built.price,
      built.currency,
      built.duration_days,
      built.renews,
      shown.benefits,
      shown.badge_url,
    ],
  );
  return { ...built, ...shown };
}

/** An offer of the kind `campaign` without limits; for no package unless `package_ids` says. Returns its ID. */
export async function buildOffer(overrides: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const built = { id: newId(), name: `Offer ${newId()}`, kind: "campaign", package_ids: [newId()], ...overrides };
  await OfferModel.create({ ...built });
  return built.id;
}
