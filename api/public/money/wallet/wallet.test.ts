import { expect } from "chai";
import { inTransaction } from "#shared/db/transaction.ts";
import { transfer } from "#shared/domain/money/ledger/transfer.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";

describe("wallet", () => {
  const service = useService();

  /** Credits coins, or debits them if `amount` is negative. */
  const grant = (userId: string, amount: number, type: "refund" | "frame_purchase") =>
    inTransaction((tx) =>
      transfer(tx, {
        by: adminCaller(),
        reference: { type: "adjustment", id: newId() },
        description: `A ${type}`,
        entries: [
          { account: { userId }, amount, type },
          { account: { house: "store_revenue" }, amount: -amount, type },
        ],
      }),
    );

  it("shows the caller's balance only", async () => {
    const [rich, poor] = await Promise.all([buildUser({ coins: 70 }), buildUser()]);
    const [of70, of0] = await Promise.all([rich, poor].map(({ token }) => service.call("get", "/wallet", { token })));
    expect(of70?.body).to.deep.equal({ success: true, data: { balance: 70, debt: 0 } });
    expect(of0?.body.data).to.deep.equal({ balance: 0, debt: 0 });
    expect((await service.call("get", "/wallet")).body.error.code).to.equal("UNAUTHENTICATED");
  });

  it("lists transactions newest first, by page, type and direction", async () => {
    const { id, token } = await buildUser({ coins: 100 });
    for (const amount of [-10, -20, 5]) await grant(id, amount, amount > 0 ? "refund" : "frame_purchase");
    const list = async (search: string) =>
      (await service.call("get", `/wallet/transactions${search}`, { token })).body.data;
    const shown = (items: { type: string; direction: string; amount: number; balance_after: number }[]) =>
      items.map(({ type, direction, amount, balance_after }) => `${type} ${direction} ${amount} → ${balance_after}`);
    const all = await list("");
    expect(shown(all.items)).to.deep.equal([
      "refund credit 5 → 75",
      "frame_purchase debit 20 → 70",
      "frame_purchase debit 10 → 90",
      "admin_adjustment credit 100 → 100",
    ]);
    expect(all).to.include({ page: 1, limit: 20, total: 4, total_pages: 1 });
    const second = await list("?page=2&limit=3");
    expect(shown(second.items)).to.deep.equal(["admin_adjustment credit 100 → 100"]);
    expect(second).to.include({ page: 2, limit: 3, total: 4, total_pages: 2 });
    expect(await list("?page=9")).to.deep.equal({ items: [], page: 9, limit: 20, total: 4, total_pages: 1 });
    expect(shown((await list("?direction=credit")).items)).to.have.length(2);
    expect(await list("?type=frame_purchase")).to.include({ total: 2 });
    expect(await list("?type=frame_purchase&direction=credit")).to.include({ total: 0 });
    const refused = await service.call("get", "/wallet/transactions?type=theft", { token });
    expect(refused.body.error.code).to.equal("VALIDATION_ERROR");
  });
});
