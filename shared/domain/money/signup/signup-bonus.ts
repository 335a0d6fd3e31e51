import { service } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import type { AccountSteps, Occasion } from "#shared/domain/identity/accounts/account-steps.ts";
import { keyedHash } from "#shared/domain/identity/sessions/keyed-hash.ts";
import { grantCoins } from "#shared/domain/money/ledger/grant-coins.ts";
import { openWallet } from "#shared/domain/money/ledger/transfer.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { neighbourhoodOf } from "#shared/kernel/network-of.ts";

/**
 * Step: credits the signup bonus of the settings, if this is the occasion that they ask for. An account gets it once;
 * an address earns it once, whichever account verifies it, and also after that account is erased; a network earns a
 * limited number a day. The caller has locked the user's row, so that one of concurrent verifications goes on.
 */
async function giveSignupBonus(tx: Tx, userId: string, occasion: Occasion): Promise<void> {
  const coins = setting("signup_bonus");
  const asked = setting("signup_bonus_requires_verification") ? "verified" : "registered";
  if (coins === 0 || occasion.when !== asked) return;

  const address = occasion.when === "verified" ? keyedHash("signup bonus", occasion.address) : null;
  const earned = await tx.query(
    `SELECT 1 FROM coin_grants WHERE kind = 'signup' AND id = $1
     UNION ALL SELECT 1 FROM signup_bonus_addresses WHERE address = $2`,
    [userId, address],
  );
  if (earned.length > 0 || !(await countOfNetwork(tx, occasion.ip))) return;

  if (address) await tx.query("INSERT INTO signup_bonus_addresses (address) VALUES ($1)", [address]);
  await grantCoins(tx, { by: service, kind: "signup", userId, coins, reason: "Signup bonus" });
}

/** Counts a bonus of a network. Returns whether it is one of those that the settings allow a day. */
async function countOfNetwork(tx: Tx, ip: string): Promise<boolean> {
  const allowed = setting("signup_bonuses_per_network_per_day");
  if (allowed === 0) return true;
  const counted = await tx.query(
    `INSERT INTO signup_bonus_networks AS n (network, day, bonuses) VALUES ($1, $2::timestamptz AT TIME ZONE 'UTC', 1)
     ON CONFLICT (day, network) DO UPDATE SET bonuses = n.bonuses + 1 WHERE n.bonuses < $3 RETURNING 1`,
    [keyedHash("network", neighbourhoodOf(ip)), isoNow(), allowed],
  );
  return counted.length > 0;
}

/** What money does in the transactions of accounts. */
export const moneyOfAccounts: AccountSteps = { opened: openWallet, earned: giveSignupBonus };
