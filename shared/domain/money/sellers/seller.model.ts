import { bigint, defaulted, defineModel, flag, integer, key, text, time, uuid } from "#shared/db/model.ts";
import { managedColumns } from "#shared/domain/base/managed/managed-resource.ts";

/** Users who pass on coins. */
export const SellerModel = defineModel("sellers", {
  ...managedColumns,
  user_id: uuid(),
  name: defaulted(text()),
  is_active: defaulted(flag()),
  daily_limit: bigint(),
  recipient_daily_limit: defaulted(bigint()),
  discount_basis_points: defaulted(integer()),
});

/** An expression for how many coins of a transfer refunds have taken back, and not given back: adds up their rows. */
export const followedCoins = "coalesce(sum(ceil(taken::numeric * (coins - released) / coins)), 0)::bigint";

export const SellerTransferModel = defineModel("seller_transfers", {
  id: key(uuid()),
  seller_id: uuid(),
  recipient_id: uuid(),
  coins: bigint(),
  bought: bigint(),
  created_at: defaulted(time()),
});
