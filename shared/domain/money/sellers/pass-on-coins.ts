import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { OrderToPay, SellerTransfer } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import type { RowOf } from "#shared/db/model.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { areBlocked } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { stock, stockUnit } from "#shared/domain/money/ledger/assets.ts";
import { lockWallets, openBalance, transfer } from "#shared/domain/money/ledger/transfer.ts";
import { discounted } from "#shared/domain/money/offers/offer-value.ts";
import { createOrder, draftOfPackage } from "#shared/domain/money/payments/create-order.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { SellerModel, SellerTransferModel } from "./seller.model.ts";
import { passedOn } from "./sellers.queries.ts";

/** @throws FORBIDDEN */
async function assertSeller(userId: string): Promise<RowOf<typeof SellerModel>> {
  const seller = await SellerModel.read({ user_id: userId });
  if (!seller?.is_active) throw new DomainError("FORBIDDEN", "You aren't a coin seller.");
  return seller;
}

/**
 * Orders a package of coins for the stock of the caller, at their discount, rounded up to what the provider accepts.
 * @throws FORBIDDEN (no seller), and as `orderCoins`
 */
export const orderStock = (
  caller: UserPrincipal,
  packageId: string,
  idempotency?: IdempotentCall,
): Promise<OrderToPay> =>
  createOrder(
    caller,
    async (tx, steps) => {
      const { discount_basis_points } = await assertSeller(caller.userId);
      const { amount, currency, credit, title } = await draftOfPackage(tx, packageId);
      const price = steps(currency) ? discounted(amount, discount_basis_points / 100, steps(currency)!) : amount;
      return { kind: "deposit", amount: price, currency, asset: stock, credit: credit! * stockUnit, title };
    },
    idempotency,
  );

/**
 * Passes coins of the caller's stock on to a user, within the limits of 24 hours.
 * @throws FORBIDDEN (no seller, or to themselves), NOT_FOUND (no active account), BLOCKED, RATE_LIMITED,
 *   INSUFFICIENT_BALANCE, IDEMPOTENCY_CONFLICT
 */
export const passOnCoins = (
  caller: UserPrincipal,
  { user_id: recipientId, coins }: { readonly user_id: string; readonly coins: number },
  idempotency?: IdempotentCall,
): Promise<SellerTransfer> =>
  inTransaction(async (tx) => {
    const { userId } = caller;
    const seller = await assertSeller(userId);
    if (recipientId === userId) throw new DomainError("FORBIDDEN", "You can't sell coins to yourself.");
    const recipient = await User.read({ id: recipientId }, ["status"]);
    if (recipient?.status !== "active") throw new DomainError("NOT_FOUND");
    if (await areBlocked(userId, recipientId)) throw new DomainError("BLOCKED");

    // The seller's other transfers wait here, so that each is counted with those before it.
    await openBalance(tx, userId, stock);
    await lockWallets(tx, [userId], [stock]);
    const { all, one } = await passedOn(userId, recipientId);
    const most = seller.recipient_daily_limit || seller.daily_limit;
    if (all + coins > seller.daily_limit || one + coins > most)
      throw new DomainError("RATE_LIMITED", "You can pass on {{amount}} coins now.", {
        values: { amount: Math.max(0, Math.min(seller.daily_limit - all, most - one)) },
        retryAfter: 3600,
      });

    const id = newId();
    const bought = setting("seller_coins_bought") ? coins : 0;
    const row = await SellerTransferModel.insert(tx, {
      id,
      seller_id: userId,
      recipient_id: recipientId,
      coins,
      bought,
    });
    const type = "seller_transfer";
    await transfer(tx, {
      by: caller,
      reference: { type, id },
      description: "Coins of a seller",
      entries: [
        { account: { userId }, asset: stock, amount: -coins * stockUnit, type },
        { account: { house: "exchange" }, asset: stock, amount: coins * stockUnit, type },
        { account: { userId: recipientId }, amount: coins, bought, type },
        { account: { house: "exchange" }, amount: -coins, type },
      ],
    });
    await tx.publish("seller.transferred", { transfer_id: id, seller_id: userId, recipient_id: recipientId, coins });
    return { id, seller_id: userId, recipient_id: recipientId, coins, reversed_at: null, created_at: row.created_at };
  }, idempotency);
