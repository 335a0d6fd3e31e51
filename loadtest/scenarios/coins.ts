import type { Gift, Hubbub } from "#shared/client/client.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import type { Stage } from "../tool/stage.ts";

/** An order of coins has a limit of its own, so more than these of the largest package aren't bought for anyone. */
const ordersMax = 20;

/** Returns the cheapest gift of which a recipient gets a share. @throws OperatorError for none */
export async function cheapestGift(client: Hubbub): Promise<Gift> {
  const gifts = (await client.gifts.list()).flatMap((category) => category.gifts);
  const gift = gifts.filter(({ price }) => price >= 2).sort((a, b) => a.price - b.price)[0];
  if (!gift) throw new OperatorError("The service has no gift of two coins or more.");
  return gift;
}

/** Buys coins at the sandbox's checkout. @throws OperatorError if the service takes real money */
export async function buyCoins(stage: Stage, client: Hubbub, coins: number): Promise<void> {
  let { balance } = await client.wallet.get();
  if (balance >= coins) return;
  const best = (await client.payments.packages()).sort((a, b) => b.coins + b.bonus_coins - a.coins - a.bonus_coins)[0];
  for (let orders = 0; best && balance < coins && orders < ordersMax; orders += 1) {
    const { providerPayload } = await client.payments.order({ package_id: best.id });
    if (providerPayload.provider !== "sandbox")
      throw new OperatorError("The service takes real payments: bring people who have coins, with --token-file.");
    const { pathname } = new URL(providerPayload.checkout_url);
    const form = new URLSearchParams({ action: "pay" });
    await fetch(`${stage.url}${pathname}`, { method: "POST", body: form, redirect: "manual" });
    ({ balance } = await client.wallet.get());
  }
}
