import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { locks } from "#shared/db/locks.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { createAccount } from "#shared/domain/identity/accounts/create-account.ts";
import { buyAtDemoStore, hasDemoStore, tellOfDemoStore } from "#shared/domain/money/stores/apple/demo-store.ts";
import { verifyApplePurchase } from "#shared/domain/money/stores/apple/verify-apple.ts";
import { newId } from "#shared/kernel/ids.ts";
import { demoDomain } from "./world/cast.ts";

const username = "joan";
/** Of `seedStore`. An administrator may have changed them. */
const products = { coins: "coins_pouch", refunded: "coins_handful", vip: "vip_silver" };

/**
 * Lets a person buy at the demo's store, for the console: coins, coins that are refunded, and VIP that renews. Once,
 * and only if the store and the products are there. No one can log in as them.
 */
export async function seedPurchases(): Promise<void> {
  if (!hasDemoStore()) return;
  const userId = await inTransaction(async (tx) => {
    // Processes that start together seed once.
    await tx.query("SELECT pg_advisory_xact_lock($1)", [locks.demoData]);
    return createBuyer(tx);
  });
  if (!userId) return;
  const caller: UserPrincipal = { kind: "user", userId, sessionId: newId(), expiresAtMs: 0 };
  const buy = async (product: string) => verifyApplePurchase(caller, await buyAtDemoStore(userId, product));
  await buy(products.coins);
  const { id } = await buy(products.refunded);
  await tellOfDemoStore("refund", id);
  await buy(products.vip);
}

async function createBuyer(tx: Tx): Promise<string | undefined> {
  const email = `${username}@${demoDomain}`;
  const [found] = await tx.query<{ taken: boolean; sold: number }>(
    `SELECT EXISTS (SELECT 1 FROM users WHERE username = $1 OR email = $2) AS taken,
       (SELECT count(*) FROM store_products WHERE store = 'apple' AND product_id = ANY ($3) AND retired_at IS NULL) AS sold`,
    [username, email, Object.values(products)],
  );
  if (found!.taken || found!.sold < Object.keys(products).length) return undefined;
  const about = { username, full_name: "Joan Clarke", email, mobile: null, date_of_birth: null };
  return createAccount(tx, { ...about, passwordHash: null });
}
