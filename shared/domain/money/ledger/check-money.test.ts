import { expect } from "chai";
import { newId } from "#shared/kernel/ids.ts";
import { differencesOf } from "#shared/testing/fakes/razorpay-scene.ts";
import { type Alterations, entriesOf, itFinds, movement } from "#shared/testing/ledger-alterations.ts";
import { useService } from "#shared/testing/service.ts";
import { buildShop, type Shop } from "#shared/testing/shop.ts";

const forgedId = newId();

const alterations: Alterations<Shop> = {
  "a balance of money is raised": {
    change: ({ reseller }) => [
      ["UPDATE wallets SET balance = balance + 5000 WHERE user_id = $1 AND asset = 'USD'", reseller],
    ],
    found: ({ reseller }) =>
      new RegExp(`^The USD balance of user ${reseller} holds 57\\.51 USD, but its entries add up to 57\\.01 USD\\.$`),
  },
  "a balance of money is deleted": {
    change: ({ reseller }) => [["DELETE FROM wallets WHERE user_id = $1 AND asset = 'USD'", reseller]],
    found: ({ reseller }) => new RegExp(`^The USD balance of user ${reseller} does not exist, but has 5 entries\\.$`),
  },
  "money is turned into another currency": {
    change: ({ orderPayment }) => [
      [`UPDATE ledger_entries SET asset = 'EUR' WHERE ${entriesOf}`, orderPayment, "catalogue_payment"],
    ],
    found: ({ orderPayment }) =>
      new RegExp(`^The money moved for catalogue payment ${orderPayment} differs from its row: .*8\\.99 EUR`),
  },
  "money is turned into coins": {
    change: ({ deposit }) => [
      [
        `UPDATE ledger_entries SET asset = 'coins' WHERE ${entriesOf} AND user_id IS NOT NULL`,
        deposit,
        "payment_order",
      ],
    ],
    found: () => /^The entries of ledger transaction \S+ add up to -\d+ USD instead of zero\.$/,
  },
  "both entries of an order's payment are changed": {
    change: ({ orderPayment }) => [
      [`UPDATE ledger_entries SET amount = sign(amount) * 100 WHERE ${entriesOf}`, orderPayment, "catalogue_payment"],
    ],
    found: ({ orderPayment, reseller }) =>
      new RegExp(
        `payment ${orderPayment} differs from its row: account ${reseller} moved -0\\.01 USD as catalogue_order instead of -8\\.99 USD as catalogue_order\\.$`,
      ),
  },
  "money moved for an order is taken out of the ledger": {
    change: ({ orderRefund }) => [
      [`DELETE FROM ledger_entries WHERE ${entriesOf}`, orderRefund, "catalogue_refund"],
      [`DELETE FROM ledger_movements WHERE ${movement}`, orderRefund, "catalogue_refund"],
    ],
    found: ({ orderRefund }) => new RegExp(`^No money moved for catalogue refund ${orderRefund}\\.$`),
  },
  "a deposit's credit is changed": {
    change: ({ deposit }) => [["UPDATE payment_orders SET credit = 1000000 WHERE id = $1", deposit]],
    found: ({ deposit }) => new RegExp(`^The money moved for payment order ${deposit} differs from its row`),
  },
  "a deposit's currency is changed": {
    change: ({ deposit }) => [["UPDATE payment_orders SET currency = 'EUR', asset = 'EUR' WHERE id = $1", deposit]],
    found: ({ deposit }) => new RegExp(`^The money moved for payment order ${deposit} differs from its row`),
  },
  "the payment of an order is deleted": {
    change: ({ orderPayment }) => [["DELETE FROM catalogue_payments WHERE id = $1", orderPayment]],
    found: ({ paidOrder }) =>
      new RegExp(
        `^Catalogue order ${paidOrder} of 8\\.99 USD is prepaid and placed, but 0 USD were paid and 0 USD refunded\\.$`,
      ),
  },
  "the amount of an order's payment is changed": {
    change: ({ orderPayment }) => [["UPDATE catalogue_payments SET amount = 1 WHERE id = $1", orderPayment]],
    found: ({ orderPayment }) => new RegExp(`^The money moved for catalogue payment ${orderPayment} differs`),
  },
  "an order's total is changed": {
    change: ({ paidOrder }) => [
      ["UPDATE catalogue_orders SET discounted_amount = 9.98, total = 0.01 WHERE id = $1", paidOrder],
    ],
    found: ({ paidOrder }) => new RegExp(`^Catalogue order ${paidOrder} of 0\\.01 USD is prepaid and placed, but 8`),
  },
  "a refunded order is placed again": {
    change: ({ cancelledOrder }) => [
      ["UPDATE catalogue_orders SET status = 'placed', reason = NULL WHERE id = $1", cancelledOrder],
    ],
    found: ({ cancelledOrder }) =>
      new RegExp(`^Catalogue order ${cancelledOrder} of 8\\.99 USD is prepaid and placed, but .* 8\\.99 USD refunded`),
  },
  "a paid order is cancelled without a refund": {
    change: ({ paidOrder }) => [
      ["UPDATE catalogue_orders SET status = 'cancelled', reason = 'x' WHERE id = $1", paidOrder],
    ],
    found: ({ paidOrder }) =>
      new RegExp(`^Catalogue order ${paidOrder} .* is prepaid and cancelled, but .* 0 USD refunded`),
  },
  "a prepaid order is made postpaid": {
    change: ({ paidOrder }) => [["UPDATE catalogue_orders SET payment = 'postpaid' WHERE id = $1", paidOrder]],
    found: ({ paidOrder }) => new RegExp(`^Catalogue order ${paidOrder} of 8\\.99 USD is postpaid and placed, but 8`),
  },
  "an order is given to another reseller": {
    change: ({ paidOrder }) => [
      [`INSERT INTO catalogue_customers (id, user_id) VALUES (2000000000, $1)`, newId()],
      ["UPDATE catalogue_orders SET customer_id = 2000000000 WHERE id = $1", paidOrder],
    ],
    found: ({ orderPayment }) => new RegExp(`^The money moved for catalogue payment ${orderPayment} differs`),
  },
  "an adjustment of money is raised": {
    change: ({ moneyAdjustment }) => [
      ["UPDATE balance_adjustments SET amount = amount * 2 WHERE id = $1", moneyAdjustment],
    ],
    found: ({ moneyAdjustment }) =>
      new RegExp(`^The money moved for balance adjustment ${moneyAdjustment} differs .*instead of 10 EUR`),
  },
  "an adjustment of money is forged": {
    change: ({ reseller }) => [
      [
        "INSERT INTO ledger_movements (id, reference_type, reference_id, description) VALUES ($1, $2, $1, 'Forged')",
        forgedId,
        "balance_adjustment",
      ],
      [
        `INSERT INTO ledger_entries (id, movement_id, type, asset, user_id, house, amount, balance_after, entry_no)
         VALUES (gen_random_uuid(), $1, 'admin_adjustment', 'EUR', $2, NULL, 50000, 100000, 2),
           (gen_random_uuid(), $1, 'admin_adjustment', 'EUR', NULL, 'adjustments', -50000, NULL, NULL)`,
        forgedId,
        reseller,
      ],
    ],
    found: () => new RegExp(`^Balance adjustment ${forgedId} calls for no money, but money moved for it`),
  },
  "money is made from nothing": {
    change: ({ reseller }) => [
      [
        `INSERT INTO ledger_entries (id, movement_id, type, asset, user_id, amount, balance_after, entry_no)
         SELECT gen_random_uuid(), movement_id, type, asset, user_id, 5, 5, 90 FROM ledger_entries
         WHERE user_id = $1 AND asset = 'USD' LIMIT 1`,
        reseller,
      ],
    ],
    found: () => /^The whole ledger adds up to 0\.0005 USD instead of zero\.$/,
  },
};

describe("checkLedger, of money", () => {
  useService();
  let shop: Shop;
  beforeEach(async () => {
    shop ??= await buildShop();
  });

  it("finds no difference in a correct ledger", async () => {
    expect(await differencesOf(...Object.values(shop).filter((id) => typeof id === "string"))).to.deep.equal([]);
  });

  itFinds(alterations, () => shop);
});
