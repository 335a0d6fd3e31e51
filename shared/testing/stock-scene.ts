import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { createManaged } from "#shared/domain/base/managed/write-managed.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { getEarnings } from "#shared/domain/money/earnings/earnings.queries.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { findDifferences } from "#shared/domain/money/ledger/check-ledger.ts";
import { getWallet } from "#shared/domain/money/payments/payments.queries.ts";
import { refundPayment } from "#shared/domain/money/payments/refund-payment.ts";
import { reverseRefund } from "#shared/domain/money/payments/reverse-refund.ts";
import { managedSellers } from "#shared/domain/money/sellers/managed-sellers.ts";
import { passOnCoins } from "#shared/domain/money/sellers/pass-on-coins.ts";
import { getSeller } from "#shared/domain/money/sellers/sellers.queries.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildAdmin } from "./admins.ts";
import { useDatabase } from "./database.ts";
import { buildSplitPlan, type buyStock } from "./earnings.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "./factories.ts";
import { adminCaller, callerOf } from "./people.ts";

type Payment = Awaited<ReturnType<typeof buyStock>>;

/**
 * What tests of refunded stock need: for each test, a seller whose coins count as bought, three users, a room of the
 * last one, and gifts of 1 that pay earnings or coins. After each, the ledger must be whole.
 */
export class StockScene {
  people: BuiltUser[] = [];
  admin = adminCaller();
  readonly earning = { id: "" };
  readonly coining = { id: "" };
  private roomId = "";
  /** Other test files of this database plant some. */
  private planted: string[] = [];

  /** Registers its hooks. */
  static use(): StockScene {
    useDatabase();
    const scene = new StockScene();
    before(() => scene.prepare());
    beforeEach(() => scene.meet());
    afterEach(() => scene.assertWhole());
    after(() => scene.restore());
    return scene;
  }

  get seller(): BuiltUser {
    return this.people[0]!;
  }

  private async prepare(): Promise<void> {
    this.planted = await findDifferences();
    this.admin = { ...adminCaller(), adminId: (await buildAdmin()).id };
    this.earning.id = (await buildGift({ price: 1 })).id;
    this.coining.id = (await buildGift({ price: 1 })).id;
    const shares = [
      { to: "receiver", basis_points: 6000, asset: "earnings" },
      { to: "house", basis_points: 4000 },
    ] as const;
    await buildSplitPlan(shares, { gift_ids: [this.earning.id] });
  }

  private async restore(): Promise<void> {
    await query("UPDATE split_plans SET retired_at = now()");
    await loadSplitPlans();
    const touched = ["refund_clawback", "earnings_maturing_days", "seller_coins_bought"] as const;
    rememberSettings(Object.fromEntries(touched.map((key) => [key, settingDefault(key)])));
  }

  async meet(): Promise<void> {
    rememberSettings({ refund_clawback: "shares", earnings_maturing_days: 0, seller_coins_bought: true });
    this.people = await Promise.all([buildUser(), buildUser(), buildUser(), buildUser()]);
    const terms = { ...managedSellers.defaults, user_id: this.seller.id, daily_limit: 1_000_000 };
    await createManaged(this.admin, managedSellers, terms);
    this.roomId = (await buildRoom({ host: this.people[3]! })).id;
  }

  async assertWhole(): Promise<void> {
    expect((await findDifferences()).filter((text) => !this.planted.includes(text))).to.deep.equal([]);
  }

  readonly pass = (to: BuiltUser, coins: number) => passOnCoins(callerOf(this.seller), { user_id: to.id, coins });

  readonly give = (from: BuiltUser, to: BuiltUser, quantity: number, gift = this.earning) =>
    transferGift(callerOf(from), { room_id: this.roomId, gift_id: gift.id, recipient_id: to.id, quantity });

  readonly refund = async (payment: Payment, amount = payment.amount): Promise<string> => {
    const id = newId();
    await inTransaction((tx) => refundPayment(tx, "sandbox", payment, { id, amount }));
    return id;
  };

  readonly win = (refundId: string) => inTransaction((tx) => reverseRefund(tx, "sandbox", refundId));

  /** Returns the seller's stock and debt, and `coins (bought) owes, earnings owes` of each user. */
  readonly shown = async (...of: readonly BuiltUser[]): Promise<string[]> => {
    const { stock, debt } = await getSeller(this.seller.id);
    const users = of.map(async ({ id }) => {
      const { balance, debt } = await getWallet(id);
      const [wallet] = await query("SELECT bought FROM wallets WHERE user_id = $1 AND asset = 'coins'", [id]);
      const earned = await getEarnings(id);
      return [balance, wallet!.bought, debt, earned.balance, earned.debt].join(" ");
    });
    return [`${stock} ${debt}`, ...(await Promise.all(users))];
  };
}
