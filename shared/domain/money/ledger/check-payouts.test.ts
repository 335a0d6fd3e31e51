import { type Alterations, itFinds } from "#shared/testing/ledger-alterations.ts";
import { payOut } from "#shared/testing/payouts.ts";
import { useService } from "#shared/testing/service.ts";

interface Ledger {
  readonly payout: string;
  readonly user: string;
}

const alterations: Alterations<Ledger> = {
  "a payout says that it was sent, without its earnings": {
    change: ({ payout }) => [["UPDATE payouts SET status = 'sent' WHERE id = $1", payout]],
    found: ({ payout }) => new RegExp(`Payout ${payout} is sent, but its earnings are not in payouts_sent`),
  },
  "a payout is gone, and its earnings are still held": {
    change: ({ payout }) => [["UPDATE payouts SET status = 'declined' WHERE id = $1", payout]],
    found: () => /The house's account payouts_held holds \d+ earnings, but the payouts there are \d+/,
  },
  "another amount was held than the payout says": {
    change: ({ payout }) => [["UPDATE payouts SET amount = amount - 1 WHERE id = $1", payout]],
    found: () => /The house's account payouts_held holds/,
  },
  "a payout was given back without a step": {
    change: ({ payout }) => [["DELETE FROM payout_steps WHERE payout_id = $1", payout]],
    found: ({ payout }) => new RegExp(`Payout ${payout} is requested, but its earnings are not in payouts_held`),
  },
};

describe("checkLedger of payouts", () => {
  useService();
  let ledger: Ledger;
  before(async () => {
    ledger = await payOut(100);
  });

  itFinds(alterations, () => ledger);
});
