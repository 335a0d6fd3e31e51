import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { coins, count, id, nullable, text, time } from "#shared/contracts/fields.ts";
import { sellerTerms } from "#shared/contracts/views.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { followedCoins, SellerModel, SellerTransferModel } from "./seller.model.ts";

/** Users who buy coins at a discount, and pass them on. */
export const managedSellers: ManagedResource = {
  resource: "sellers",
  name: "seller",
  one: "a coin seller",
  many: "coin sellers",
  model: SellerModel,
  fields: { user_id: id(exampleIds.ada), name: text(0, 60, "Coins of Ada"), ...sellerTerms },
  defaults: { name: "", is_active: true, recipient_daily_limit: 0, discount_basis_points: 0 },
  search: ["name"],
  filters: { user_id: id(exampleIds.ada) },
  sorts: ["name", "created_at"],
  exampleId: exampleIds.seller,
};

/** What sellers have passed on, as administrators list it. */
export const managedSellerTransfers: ManagedResource = {
  resource: "sellers",
  listed: { as: "seller_transfers", permission: "sellers.read" },
  name: "seller_transfer",
  one: "a seller transfer",
  many: "transfers of sellers",
  model: SellerTransferModel,
  fields: {},
  defaults: {},
  shown: {
    seller_id: id(exampleIds.ada),
    recipient_id: id(exampleIds.grace),
    coins: coins(500),
    bought: count(0),
    refunded: count(0).description("Coins that refunds of the seller's orders have taken back."),
    reversed_at: nullable(time(exampleTime(exampleIds.sellerTransfer, 3600))).example(null),
  },
  derived: {
    reversed_at: "(SELECT max(created_at) FROM seller_reversals WHERE transfer_id = t.id)",
    refunded: `(SELECT ${followedCoins} FROM refund_transfers WHERE transfer_id = t.id)`,
  },
  search: [],
  filters: { seller_id: id(exampleIds.ada), recipient_id: id(exampleIds.grace) },
  hasPeriod: true,
  sorts: ["-created_at", "coins"],
  exampleId: exampleIds.sellerTransfer,
};
