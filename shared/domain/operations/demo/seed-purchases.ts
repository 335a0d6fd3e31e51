import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { createAccount } from "#shared/domain/identity/accounts/create-account.ts";
import { buyAtDemoStore, hasDemoStore, tellOfDemoStore } from "#shared/domain/money/stores/apple/demo-store.ts";
import { verifyApplePurchase } from "#shared/domain/money/stores/apple/verify-apple.ts";
import { newId } from "#shared/kernel/ids.ts";
import { demoDomain } from "./world/cast.ts";

const username = "joan";

/**
 * Lets a person buy at the demo's store, for the console: coins, coins that are refunded, and VIP that renews. Once,
 * and only if the store is there. No one can log in as them.
 */
export async function seedPurchases(): Promise<void> {
  if (!hasDemoStore()) return;
  const email = `${username}@${demoDomain}`;
  if ((await query("SELECT 1 FROM users WHERE username = $1 OR email = $2", [username, email])).length > 0) return;
  const userId = await inTransaction((tx) =>
    createAccount(tx, {
      username,
      full_name: "Joan Clarke",
      email,
      mobile: null,
      date_of_birth: null,
      passwordHash: null,
    }),
  );
  const caller: UserPrincipal = { kind: "user", userId, sessionId: newId(), expiresAtMs: 0 };
  const buy = async (product: string) => verifyApplePurchase(caller, await buyAtDemoStore(userId, product));
  await buy("coins_pouch");
  const { id } = await buy("coins_handful");
  await tellOfDemoStore("refund", id);
  await buy("vip_silver");
}
