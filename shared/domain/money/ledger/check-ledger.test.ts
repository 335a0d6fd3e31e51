import { expect } from "chai";
import { service } from "#shared/contracts/principal.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { reverseRefund } from "#shared/domain/money/payments/reverse-refund.ts";
import { buyFrame } from "#shared/domain/money/store/buy-frame.ts";
import { newId } from "#shared/kernel/ids.ts";
import { splitAndExchanged } from "#shared/testing/clawed-ledger.ts";
import { buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { differencesOf, giveCoins, useRazorpay } from "#shared/testing/fakes/razorpay-scene.ts";
import { type Alterations, entriesOf, itFinds, movement } from "#shared/testing/ledger-alterations.ts";
import { payOut, sellAndReverse } from "#shared/testing/payouts.ts";
import { callerOf } from "#shared/testing/people.ts";
import { payLine } from "#shared/testing/runs.ts";
import { buildFrame } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { buildShop } from "#shared/testing/shop.ts";
import { causes } from "./causes.ts";
import { grantCoins } from "./grant-coins.ts";

/** The IDs of one row of each kind that takes part in a movement of coins. */
interface Ledger {
  /** Has a signup bonus of 7, 100 coins, bought a frame for 40 and gave a gift of 20. */
  readonly ada: string;
  /** Received 10 coins for the gift. */
  readonly bob: string;
  readonly gift: string;
  readonly frame: string;
  /** Bought an order. */
  readonly buyer: string;
  /** Of 100 coins, paid; a third was refunded: 10 coins, and 23 as a debt, which another order paid. */
  readonly order: string;
  readonly debtPayment: string;
  readonly payment: string;
  readonly refund: string;
  /** Of a refund of the other order. */
  readonly reversal: string;
  readonly adjustment: string;
  /** A gift of bought coins, of which a plan gave its recipient half in earnings, who exchanged some. */
  readonly splitGift: string;
  readonly exchange: string;
  /** A refund that took back what someone had earned, from which gift, and what paid the debt that was left. */
  readonly clawback: string;
  readonly clawedGift: string;
  readonly sharePayment: string;
  /** What an exchange paid of a debt in coins. */
  readonly coinDebtPayment: string;
}

const differ = (what: string) => new RegExp(`^The coins moved for ${what} differ from its row: account`);

/** What a database administrator can do to the ledger with SQL, past triggers and foreign keys. */
const alterations: Alterations<Ledger> = {
  "a wallet's balance is raised": {
    change: ({ ada }) => [["UPDATE wallets SET balance = balance + 1 WHERE user_id = $1", ada]],
    found: ({ ada }) => new RegExp(`^The wallet of user ${ada} holds 48, but its entries add up to 47\\.$`),
  },
  "a wallet's count of entries is changed": {
    change: ({ ada }) => [["UPDATE wallets SET entry_count = 9 WHERE user_id = $1", ada]],
    found: ({ ada }) => new RegExp(`^The wallet of user ${ada} has counted 9 entries, but has 4\\.$`),
  },
  "a wallet is deleted": {
    change: ({ ada }) => [["DELETE FROM wallets WHERE user_id = $1", ada]],
    found: ({ ada }) => new RegExp(`^The wallet of user ${ada} does not exist, but has 4 entries\\.$`),
  },
  "a wallet without entries is deleted": {
    change: ({ ada }) => [
      ["DELETE FROM ledger_entries WHERE user_id = $1", ada],
      ["DELETE FROM wallets WHERE user_id = $1", ada],
    ],
    found: ({ ada }) => new RegExp(`^User ${ada} has no wallet\\.$`),
  },
  "an entry's amount is changed": {
    change: ({ frame }) => [
      [`UPDATE ledger_entries SET amount = -39 WHERE ${entriesOf} AND amount < 0`, frame, "frame_purchase"],
    ],
    found: () => /^The entries of ledger transaction \S+ add up to 1 instead of zero\.$/,
  },
  "both entries of a ledger transaction are changed, with the balances after them": {
    change: ({ ada, frame }) => [
      [`UPDATE ledger_entries SET amount = sign(amount) * 39 WHERE ${entriesOf}`, frame, "frame_purchase"],
      ["UPDATE ledger_entries SET balance_after = balance_after + 1 WHERE user_id = $1 AND entry_no >= 3", ada],
      ["UPDATE wallets SET balance = balance + 1 WHERE user_id = $1", ada],
    ],
    found: ({ ada }) => new RegExp(`account ${ada} moved -39 as frame_purchase instead of -40 as frame_purchase\\.$`),
  },
  "the balance after an entry is changed": {
    change: ({ ada }) => [["UPDATE ledger_entries SET balance_after = 1 WHERE user_id = $1 AND entry_no = 2", ada]],
    found: ({ ada }) => new RegExp(`^Entry \\S+ of user ${ada} moved 100 from a balance of 7, but says it left 1\\.$`),
  },
  "two entries of a wallet are renumbered": {
    change: ({ ada }) => [["UPDATE ledger_entries SET entry_no = 12 WHERE user_id = $1 AND entry_no = 2", ada]],
    found: ({ ada }) => new RegExp(`^Entry \\S+ of user ${ada} has number 12, but is the wallet's entry 4\\.$`),
  },
  "an entry's type is changed": {
    change: ({ ada }) => [[`UPDATE ledger_entries SET type = 'refund' WHERE ${entriesOf}`, ada, "signup"]],
    found: ({ ada }) => differ(`signup bonus ${ada}`),
  },
  "an entry is given to another user": {
    change: ({ gift, ada, bob }) => [
      [
        `UPDATE ledger_entries SET user_id = $3, entry_no = 99 WHERE ${entriesOf} AND user_id = $4`,
        gift,
        "gift_transaction",
        ada,
        bob,
      ],
    ],
    found: ({ gift }) => differ(`gift transaction ${gift}`),
  },
  "an entry is given to another account of the house": {
    change: ({ gift }) => [
      [`UPDATE ledger_entries SET house = 'issue' WHERE ${entriesOf} AND house IS NOT NULL`, gift, "gift_transaction"],
    ],
    found: ({ gift }) => differ(`gift transaction ${gift}`),
  },
  "an entry is deleted": {
    change: ({ bob, gift }) => [
      [`DELETE FROM ledger_entries WHERE ${entriesOf} AND user_id = $3`, gift, "gift_transaction", bob],
    ],
    found: ({ bob }) => new RegExp(`account ${bob} moved nothing instead of 10 as gift_received\\.$`),
  },
  "entries are doubled": {
    change: ({ order }) => [
      [
        `INSERT INTO ledger_entries (id, movement_id, type, user_id, house, amount, balance_after, entry_no, created_at)
         SELECT gen_random_uuid(), movement_id, type, user_id, house, amount, balance_after + 100, entry_no + 50, created_at
         FROM ledger_entries WHERE ${entriesOf}`,
        order,
        "payment_order",
      ],
    ],
    found: () => /^Ledger transaction \S+ has 2 entries for account issue instead of one\.$/,
  },
  "an entry's time is changed": {
    change: ({ gift }) => [
      [`UPDATE ledger_entries SET created_at = now() - interval '1 day' WHERE ${entriesOf}`, gift, "gift_transaction"],
    ],
    found: ({ gift }) => new RegExp(`is of another time than gift transaction ${gift}\\.$`),
  },
  "a ledger transaction's time is changed": {
    change: ({ refund }) => [
      [`UPDATE ledger_movements SET created_at = now() WHERE ${movement}`, refund, "payment_refund"],
    ],
    found: ({ refund }) => new RegExp(`is of another time than payment refund ${refund}\\.$`),
  },
  "a ledger transaction's description is changed": {
    change: ({ order }) => [
      [`UPDATE ledger_movements SET description = 'A present' WHERE ${movement}`, order, "payment_order"],
    ],
    found: ({ order }) => new RegExp(`is described otherwise than payment order ${order}\\.$`),
  },
  "a ledger transaction's principal is changed": {
    change: ({ gift, bob }) => [
      [`UPDATE ledger_movements SET principal_id = $3 WHERE ${movement}`, gift, "gift_transaction", bob],
    ],
    found: ({ gift }) => new RegExp(`names another principal than gift transaction ${gift}\\.$`),
  },
  "a ledger transaction is deleted with its entries": {
    change: ({ order }) => [
      [`DELETE FROM ledger_entries WHERE ${entriesOf}`, order, "payment_order"],
      [`DELETE FROM ledger_movements WHERE ${movement}`, order, "payment_order"],
    ],
    found: ({ order }) => new RegExp(`^No coins moved for payment order ${order}\\.$`),
  },
  "a ledger transaction is deleted without its entries": {
    change: ({ order }) => [[`DELETE FROM ledger_movements WHERE ${movement}`, order, "payment_order"]],
    found: () => /^Ledger transaction \S+ does not exist, but has 2 entries\.$/,
  },
  "a ledger transaction without entries is added": {
    change: () => [
      [
        "INSERT INTO ledger_movements (id, reference_type, reference_id, description) VALUES ($1, 'demo', $1, 'x')",
        newId(),
      ],
    ],
    found: () => /^Ledger transaction \S+ has 0 entries instead of two or more\.$/,
  },
  "an entry has an ID of another time, where the chain doesn't look": {
    change: ({ order }) => [
      [
        `UPDATE ledger_entries SET id = first_id_at(now() - interval '2 days') WHERE ${entriesOf} AND amount > 0`,
        order,
        "payment_order",
      ],
    ],
    found: () => /^Entries of ledger transaction \S+ have IDs of another time\.$/,
  },
  "a ledger transaction refers to something else": {
    change: ({ frame, gift }) => [
      [`UPDATE ledger_movements SET reference_id = $3 WHERE ${movement}`, frame, "frame_purchase", gift],
    ],
    found: ({ frame, gift }) =>
      new RegExp(`^(No coins moved for frame purchase ${frame}|Frame purchase ${gift} calls for no coins)`),
  },
  "a ledger transaction refers to another kind of cause": {
    change: ({ frame }) => [
      [`UPDATE ledger_movements SET reference_type = 'adjustment' WHERE ${movement}`, frame, "frame_purchase"],
    ],
    found: ({ frame }) => new RegExp(`^Adjustment ${frame} calls for no coins, but coins moved for it`),
  },
  "a ledger transaction refers to an unknown kind of cause": {
    change: ({ frame }) => [
      [`UPDATE ledger_movements SET reference_type = 'present' WHERE ${movement}`, frame, "frame_purchase"],
    ],
    found: ({ frame }) =>
      new RegExp(`^Ledger transaction \\S+ refers to present ${frame}, which is no known cause\\.$`),
  },
  "a signup bonus is forged for a user who doesn't exist": {
    change: () => forged("signup", newId()),
    found: () => /^Signup bonus \S+ calls for no coins/,
  },
  "a gift is forged": {
    change: () => forged("gift_transaction", newId()),
    found: () => /^Gift transaction \S+ calls for no coins/,
  },
  "an unpaid order is credited": {
    change: ({ order }) => [["UPDATE payment_orders SET status = 'created', paid_at = NULL WHERE id = $1", order]],
    found: ({ order }) => new RegExp(`^Payment order ${order} calls for no coins, but coins moved for it`),
  },
  "a cause is used twice": {
    change: ({ order }) => [
      ["ALTER TABLE ledger_movements DROP CONSTRAINT ledger_movements_once"],
      ...forged("payment_order", order),
    ],
    found: ({ order }) => new RegExp(`^Payment order ${order} has 2 ledger transactions instead of one\\.$`),
  },
  "an order's coins are changed": {
    change: ({ order }) => [["UPDATE payment_orders SET credit = 101 WHERE id = $1", order]],
    found: ({ order }) => differ(`payment order ${order}`),
  },
  "an order is given to another user": {
    change: ({ order, bob }) => [["UPDATE payment_orders SET user_id = $2 WHERE id = $1", order, bob]],
    found: ({ order }) => differ(`payment order ${order}`),
  },
  "an order's amount is changed": {
    change: ({ order }) => [["UPDATE payment_orders SET amount = 1 WHERE id = $1", order]],
    found: ({ order }) =>
      new RegExp(`^Payment order ${order} of 1 is paid, but a payment of 9900 settles it and 3300 were refunded\\.$`),
  },
  "an order's payment is deleted": {
    change: ({ payment }) => [["DELETE FROM payments WHERE id = $1", payment]],
    found: ({ order }) => new RegExp(`^Payment order ${order} of 9900 is paid, but no payment settles it\\.$`),
  },
  "a payment's refunded amount is changed": {
    change: ({ payment }) => [["UPDATE payments SET refunded_amount = 4950 WHERE id = $1", payment]],
    found: ({ payment }) =>
      new RegExp(`^Payment ${payment} has 4950 refunded and refunds of 3300, which took 33 coins instead of 50\\.$`),
  },
  "a refund's debt is forgiven": {
    change: ({ refund }) => [["UPDATE payment_refunds SET debt = 0 WHERE id = $1", refund]],
    found: ({ refund }) => differ(`payment refund ${refund}`),
  },
  "a refund is deleted": {
    change: ({ refund }) => [["DELETE FROM payment_refunds WHERE id = $1", refund]],
    found: ({ refund }) => new RegExp(`^Payment refund ${refund} calls for no coins, but coins moved for it`),
  },
  "a debt payment's coins are changed": {
    change: ({ debtPayment }) => [["UPDATE debt_payments SET credit = 22 WHERE id = $1", debtPayment]],
    found: ({ debtPayment }) => differ(`debt payment ${debtPayment}`),
  },
  "a debt payment is deleted": {
    change: ({ debtPayment }) => [["DELETE FROM debt_payments WHERE id = $1", debtPayment]],
    found: ({ debtPayment }) => new RegExp(`^Debt payment ${debtPayment} calls for no coins, but coins moved for it`),
  },
  "a debt payment takes more than was owed": {
    change: ({ debtPayment }) => [["UPDATE debt_payments SET credit = 30 WHERE id = $1", debtPayment]],
    found: ({ buyer }) => new RegExp(`^User ${buyer} has paid 7 coins more than they owed\\.$`),
  },
  "a debt payment takes more than was bought": {
    change: ({ debtPayment }) => [["UPDATE debt_payments SET credit = 101 WHERE id = $1", debtPayment]],
    found: ({ debtPayment }) =>
      new RegExp(`^Debt payment ${debtPayment} took 101 coins of an order that bought 100\\.$`),
  },
  "a reversal's debt is changed": {
    change: ({ reversal }) => [["UPDATE payment_refund_reversals SET debt = 9 WHERE id = $1", reversal]],
    found: ({ reversal }) => differ(`refund reversal ${reversal}`),
  },
  "a reversal is deleted": {
    change: ({ reversal }) => [["DELETE FROM payment_refund_reversals WHERE id = $1", reversal]],
    found: ({ reversal }) => new RegExp(`^Refund reversal ${reversal} calls for no coins, but coins moved for it`),
  },
  "a gift's price is changed": {
    change: ({ gift }) => [
      ["UPDATE gift_transactions SET unit_price = 1, total_coins = 2, recipient_coins = 1 WHERE id = $1", gift],
    ],
    found: ({ gift }) => differ(`gift transaction ${gift}`),
  },
  "a gift's recipient is changed": {
    change: ({ gift, order }) => [["UPDATE gift_transactions SET recipient_id = $2 WHERE id = $1", gift, order]],
    found: ({ gift }) => differ(`gift transaction ${gift}`),
  },
  "a gift is deleted": {
    change: ({ gift }) => [["DELETE FROM gift_transactions WHERE id = $1", gift]],
    found: ({ gift }) => new RegExp(`^Gift transaction ${gift} calls for no coins, but coins moved for it`),
  },
  "a frame's price is changed": {
    change: ({ frame }) => [["UPDATE frame_purchases SET price = 4 WHERE id = $1", frame]],
    found: ({ frame }) => differ(`frame purchase ${frame}`),
  },
  "a grant's coins are changed": {
    change: ({ adjustment }) => [
      ["UPDATE coin_grants SET coins = 1000 WHERE id = $1 AND kind = 'adjustment'", adjustment],
    ],
    found: ({ adjustment }) => differ(`adjustment ${adjustment}`),
  },
  "a grant is deleted": {
    change: ({ ada }) => [["DELETE FROM coin_grants WHERE id = $1 AND kind = 'signup'", ada]],
    found: ({ ada }) => new RegExp(`^Signup bonus ${ada} calls for no coins, but coins moved for it`),
  },
  "granted coins are said to be bought": {
    change: ({ ada }) => [["UPDATE wallets SET bought = 7 WHERE user_id = $1", ada]],
    found: ({ ada }) =>
      new RegExp(`^The wallet of user ${ada} says that 7 of its coins were bought, but by its entries it is 0\\.$`),
  },
  "a grant is said to be bought": {
    change: ({ ada }) => [
      [`UPDATE ledger_entries SET bought = amount WHERE ${entriesOf}`, ada, "signup"],
      ["UPDATE wallets SET bought = 7 WHERE user_id = $1", ada],
    ],
    found: ({ ada }) =>
      new RegExp(`account ${ada} moved 7 \\(of which 7 bought\\) as signup_bonus instead of 7 \\(of which 0 bought\\)`),
  },
  "bought coins are made from nothing": {
    change: ({ ada }) => [
      [`UPDATE ledger_entries SET bought = 7 WHERE ${entriesOf} AND user_id IS NOT NULL`, ada, "signup"],
    ],
    found: () => /^The bought coins of ledger transaction \S+ add up to 7 instead of zero\.$/,
  },
  "a share of a gift is changed": {
    change: ({ splitGift }) => [["UPDATE gift_shares SET amount = 11 WHERE gift_transaction_id = $1", splitGift]],
    found: ({ splitGift }) =>
      new RegExp(
        `${splitGift} differ from its row: account \\S+ moved 10 earnings as gift_received instead of 11 earnings`,
      ),
  },
  "a share is more than what was bought of its gift": {
    change: ({ splitGift }) => [["UPDATE gift_shares SET amount = 21 WHERE gift_transaction_id = $1", splitGift]],
    found: ({ splitGift }) =>
      new RegExp(
        `^Gift transaction ${splitGift} of 20 coins, 20 of them bought, has shares of 21, 21 of them of bought`,
      ),
  },
  "what a refund took back of gifts is changed": {
    change: ({ clawback }) => [
      ["UPDATE refund_shares SET amount = 11 WHERE refund_id = $1", clawback],
      ["UPDATE payment_refunds SET shares = 11, debt = debt - 1 WHERE id = $1", clawback],
    ],
    found: ({ clawback }) => differ(`payment refund ${clawback}`),
  },
  "a refund took another part of gifts than it says": {
    change: ({ clawback }) => [["UPDATE payment_refunds SET shares = 9 WHERE id = $1", clawback]],
    found: ({ clawback }) => new RegExp(`^Payment refund ${clawback} says that it took 9 of gifts, but it took 10\\.$`),
  },
  "refunds take back more coins of a gift than were bought": {
    change: ({ clawedGift }) => [["UPDATE refund_gifts SET coins = 21 WHERE gift_transaction_id = $1", clawedGift]],
    found: ({ clawedGift }) =>
      new RegExp(`^Refunds take back 21 coins of gift transaction ${clawedGift}, of which 20 were bought\\.$`),
  },
  "a debt of refunded gifts is lowered after it was paid": {
    change: ({ clawback }) => [["UPDATE refund_shares SET debt = 3 WHERE refund_id = $1", clawback]],
    found: () => /^User \S+ has paid 7 earnings more for refunded gifts than they owed\.$/,
  },
  "a payment of such a debt is changed": {
    change: ({ sharePayment }) => [["UPDATE share_debt_payments SET amount = 3 WHERE id = $1", sharePayment]],
    found: ({ sharePayment }) => differ(`payment of a gift's debt ${sharePayment}`),
  },
  "a payment of a debt by an exchange is changed": {
    change: ({ coinDebtPayment }) => [["UPDATE share_debt_payments SET amount = 3 WHERE id = $1", coinDebtPayment]],
    found: ({ coinDebtPayment }) => differ(`payment of a debt by an exchange ${coinDebtPayment}`),
  },
  "an exchange is changed": {
    change: ({ exchange }) => [["UPDATE earnings_exchanges SET earnings = 3 WHERE id = $1", exchange]],
    found: ({ exchange }) => differ(`exchange of earnings ${exchange}`),
  },
  "earnings are made from nothing": {
    change: ({ bob }) => [["UPDATE wallets SET balance = 99 WHERE user_id = $1 AND asset = 'earnings'", bob]],
    found: ({ bob }) =>
      new RegExp(`^The earnings balance of user ${bob} holds 99 earnings, but its entries add up to 6 earnings\\.$`),
  },
  "coins are made from nothing": {
    change: ({ ada }) => [
      [
        `INSERT INTO ledger_entries (id, movement_id, type, user_id, amount, balance_after, entry_no)
         SELECT gen_random_uuid(), movement_id, type, user_id, 5, 5, 90 FROM ledger_entries WHERE user_id = $1 LIMIT 1`,
        ada,
      ],
    ],
    found: () => /^The whole ledger adds up to -?\d+ instead of zero\.$/,
  },
};

/** A ledger transaction of the house with itself, so that it is right but for its cause. */
function forged(type: keyof typeof causes, id: string) {
  const movementId = newId();
  return [
    [
      "INSERT INTO ledger_movements (id, reference_type, reference_id, description) VALUES ($1, $2, $3, 'Forged')",
      movementId,
      type,
      id,
    ],
    [
      `INSERT INTO ledger_entries (id, movement_id, type, house, amount)
       SELECT gen_random_uuid(), $1, 'admin_adjustment', house, amount
       FROM (VALUES ('issue', -5), ('gift_revenue', 5)) AS e (house, amount)`,
      movementId,
    ],
  ] as const;
}

describe("checkLedger", () => {
  useService();
  const razorpay = useRazorpay();

  async function buildLedger(): Promise<Ledger> {
    const [sender, { id: bob }, frame, gift, room] = await Promise.all([
      buildUser(),
      buildUser(),
      buildFrame({ price: 40 }),
      buildGift({ price: 10 }),
      buildRoom(),
    ]);
    const caller = callerOf(sender);
    const { id: ada } = sender;
    await inTransaction(async (tx) => {
      await grantCoins(tx, { by: service, kind: "signup", userId: ada, coins: 7, reason: "Signup bonus" });
      await grantCoins(tx, { by: caller, kind: "adjustment", userId: ada, coins: 100, reason: "Sorry" });
    });
    await buyFrame(caller, { frameId: frame.id });
    const given = await transferGift(caller, { room_id: room.id, gift_id: gift.id, recipient_id: bob, quantity: 2 });

    const split = await splitAndExchanged(sender, bob);

    const sale = await razorpay.ordered();
    const payment = razorpay.fake.pay(sale.at);
    await razorpay.tell(razorpay.fake.webhook("payment.captured", payment));
    await giveCoins(sale.user, -90);
    await razorpay.tell(razorpay.fake.webhook("refund.processed", payment, razorpay.fake.refund(payment, 3_300)));
    const another = await razorpay.ordered({ by: sale.user });
    const second = razorpay.fake.pay(another.at);
    await razorpay.tell(razorpay.fake.webhook("payment.captured", second));
    const refund = razorpay.fake.refund(second, 3_300);
    await razorpay.tell(razorpay.fake.webhook("refund.processed", second, refund));
    await inTransaction((tx) => reverseRefund(tx, "razorpay", refund.id));

    const rows = await queryOne<Omit<Ledger, "ada" | "bob" | "gift" | "order" | "buyer" | keyof typeof split>>(
      `SELECT p.id AS payment, r.id AS refund, (SELECT id FROM frame_purchases WHERE user_id = $2) AS frame,
         (SELECT id FROM coin_grants WHERE user_id = $2 AND kind = 'adjustment') AS adjustment,
         (SELECT id FROM debt_payments WHERE order_id = $3) AS "debtPayment",
         (SELECT v.id FROM payment_refund_reversals v JOIN payment_refunds b ON b.id = v.refund_id
            JOIN payments q ON q.id = b.payment_id WHERE q.order_id = $3) AS reversal
       FROM payments p JOIN payment_refunds r ON r.payment_id = p.id WHERE p.order_id = $1`,
      [sale.orderId, ada, another.orderId],
    );
    return { ada, bob, gift: given.id, ...split, buyer: sale.user.id, order: sale.orderId, ...rows! };
  }

  let ledger: Ledger;

  beforeEach(async () => {
    ledger ??= await buildLedger();
  });

  it("finds no difference in a correct ledger", async () => {
    expect(await differencesOf(...Object.values(ledger))).to.deep.equal([]);
  });

  it("has coins or money moved for each kind of cause that it knows", async () => {
    await buildShop();
    await payOut(100);
    await sellAndReverse({ id: ledger.bob });
    await payLine((await buildUser()).id);
    await inTransaction((tx) =>
      grantCoins(tx, { by: service, kind: "demo", userId: ledger.bob, coins: 1, reason: "Coins to try gifts with" }),
    );
    const moved = await query<{ type: string }>("SELECT DISTINCT reference_type AS type FROM ledger_movements");
    expect(moved.map(({ type }) => type)).to.include.members(Object.keys(causes));
    expect(await differencesOf(...Object.values(ledger))).to.deep.equal([]);
  });

  itFinds(alterations, () => ledger);
});
