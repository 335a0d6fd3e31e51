import { queryOne } from "#shared/db/query.ts";
import { reverseTransfer } from "#shared/domain/money/sellers/reverse-transfer.ts";
import { buyStock } from "#shared/testing/earnings.ts";
import { type Alterations, itFinds } from "#shared/testing/ledger-alterations.ts";
import { StockScene } from "#shared/testing/stock-scene.ts";

interface Ledger {
  /** Of 60 coins of stock. Of the transfer of 100 that they were spent on, 50 were still held, and 6 earned. */
  readonly refund: string;
  readonly transfer: string;
  readonly reversal: string;
}

const alterations: Alterations<Ledger> = {
  "a refund takes more coins of a transfer than were bought": {
    change: ({ transfer }) => [["UPDATE refund_transfers SET coins = 101 WHERE transfer_id = $1", transfer]],
    found: ({ transfer }) =>
      new RegExp(`^Refunds take back 101 coins of seller transfer ${transfer}, of which 100 were bought\\.$`),
  },
  "what a refund took from others is changed": {
    change: ({ refund }) => [["UPDATE refund_shares SET amount = 51 WHERE refund_id = $1 AND asset = 'coins'", refund]],
    found: ({ refund }) =>
      new RegExp(`^Payment refund ${refund} says that it took 560000 of gifts, but it took 570000\\.$`),
  },
  "what a refund took of stock is changed": {
    change: ({ refund }) => [["UPDATE payment_refunds SET debt = debt - 10000 WHERE id = $1", refund]],
    found: ({ refund }) => new RegExp(`^The money moved for payment refund ${refund} differs from its row: account`),
  },
  "a reversal says that refunds had taken another part": {
    change: ({ reversal }) => [["UPDATE seller_reversals SET followed = followed + 1 WHERE id = $1", reversal]],
    found: ({ reversal }) => new RegExp(`moved for reversal of a seller's transfer ${reversal} differs? from its row`),
  },
  "a reversal paid more than the seller owed": {
    change: ({ reversal }) => [["UPDATE seller_reversals SET paid = paid + 10000 WHERE id = $1", reversal]],
    found: () => /^User \S+ has paid 1 XCS more than they owed\.$/,
  },
};

describe("checkLedger of refunded stock", () => {
  const scene = StockScene.use();
  let ledger: Ledger;
  beforeEach(async () => {
    const [seller, ada, bob] = scene.people;
    const payment = await buyStock(seller!.id, 100);
    const { id: transfer } = await scene.pass(ada!, 100);
    await scene.give(ada!, bob!, 50);
    await scene.refund(payment, 60);
    await reverseTransfer(scene.admin, transfer, "A test");
    const row = await queryOne<Omit<Ledger, "transfer">>(
      `SELECT f.refund_id AS refund, r.id AS reversal FROM refund_transfers f
         JOIN seller_reversals r USING (transfer_id) WHERE f.transfer_id = $1`,
      [transfer],
    );
    ledger = { transfer, ...row! };
  });

  itFinds(alterations, () => ledger);
});
