import { glob, readFile } from "node:fs/promises";
import { expect } from "chai";
import pLimit from "p-limit";
import { type Principal, service } from "#shared/contracts/principal.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction, violatedConstraint } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { adminCaller, callerOf, outcomeOf } from "#shared/testing/people.ts";
import { checkLedger } from "./check-ledger.ts";
import { type TransferEntry, transfer } from "./transfer.ts";

const wallet = (userId: string, amount: number): TransferEntry => ({
  account: { userId },
  amount,
  type: "admin_adjustment",
});
const issue = (amount: number): TransferEntry => ({ account: { house: "issue" }, amount, type: "admin_adjustment" });

const move = (entries: TransferEntry[], referenceId = newId(), by: Principal = service) =>
  inTransaction((tx) =>
    transfer(tx, { by, reference: { type: "adjustment", id: referenceId }, description: "A test", entries }),
  );

const balanceOf = async (userId: string) =>
  (await queryOne<{ balance: number }>("SELECT balance FROM wallets WHERE user_id = $1", [userId]))?.balance;

/** Transfers of this file have no stored cause. */
const recount = async () => (await checkLedger()).filter((difference) => !difference.includes("calls for no coins"));

/** What a recount says about these users and the ledger transactions that touched them. */
async function differencesOf(userIds: string[]): Promise<string[]> {
  const transactions = await query<{ id: string }>(
    "SELECT DISTINCT movement_id AS id FROM ledger_entries WHERE user_id = ANY ($1::uuid[])",
    [userIds],
  );
  const ids = [...userIds, ...transactions.map(({ id }) => id)];
  return (await recount()).filter((difference) => ids.some((id) => difference.includes(id)));
}

describe("transfer", () => {
  useDatabase();

  it("moves coins, returns the balances and writes the ledger transaction with its entries", async () => {
    const [ada, bob] = await Promise.all([buildUser({ coins: 100 }), buildUser()]);
    const referenceId = newId();
    const { transactionId, balances } = await move([wallet(ada.id, -30), wallet(bob.id, 20), issue(10)], referenceId);
    expect([...balances].sort()).to.deep.equal(
      [
        [ada.id, 70],
        [bob.id, 20],
      ].sort(),
    );
    expect([await balanceOf(ada.id), await balanceOf(bob.id)]).to.deep.equal([70, 20]);
    const transaction = await queryOne("SELECT * FROM ledger_movements WHERE id = $1", [transactionId]);
    expect(transaction).to.include({ reference_type: "adjustment", reference_id: referenceId, description: "A test" });
    const entries = await query(
      `SELECT user_id, house, amount, balance_after, entry_no FROM ledger_entries WHERE movement_id = $1 ORDER BY amount`,
      [transactionId],
    );
    expect(entries).to.deep.equal([
      { user_id: ada.id, house: null, amount: -30, balance_after: 70, entry_no: 2 },
      { user_id: null, house: "issue", amount: 10, balance_after: null, entry_no: null },
      { user_id: bob.id, house: null, amount: 20, balance_after: 20, entry_no: 1 },
    ]);
  });

  it("rejects a transfer that exceeds a wallet, and moves nothing even if the caller continues", async () => {
    const [ada, bob] = await Promise.all([buildUser({ coins: 10 }), buildUser({ coins: 10 })]);
    const outcome = await inTransaction((tx) =>
      outcomeOf(
        transfer(tx, {
          by: service,
          reference: { type: "adjustment", id: newId() },
          description: "Too much",
          entries: [wallet(ada.id, -11), wallet(bob.id, 11)],
        }),
      ),
    );
    expect(outcome).to.equal("INSUFFICIENT_BALANCE");
    expect([await balanceOf(ada.id), await balanceOf(bob.id)]).to.deep.equal([10, 10]);
    expect(await differencesOf([ada.id, bob.id])).to.deep.equal([]);
  });

  it("records who moved the coins", async () => {
    const user = await buildUser();
    const admin = adminCaller();
    const recorded = async (by: Principal) => {
      const { transactionId } = await move([wallet(user.id, 5), issue(-5)], newId(), by);
      return queryOne("SELECT principal_kind, principal_id FROM ledger_movements WHERE id = $1", [transactionId]);
    };

    expect(await recorded(callerOf(user))).to.deep.equal({ principal_kind: "user", principal_id: user.id });
    expect(await recorded(admin)).to.deep.equal({ principal_kind: "admin", principal_id: admin.adminId });
    expect(await recorded(service)).to.deep.equal({ principal_kind: "service", principal_id: null });
  });

  it("lets a wallet be emptied", async () => {
    const { id } = await buildUser({ coins: 10 });
    await move([wallet(id, -10), issue(10)]);
    expect(await balanceOf(id)).to.equal(0);
  });

  it("moves coins once for a reference", async () => {
    const { id } = await buildUser();
    const referenceId = newId();
    await move([wallet(id, 5), issue(-5)], referenceId);
    const again = await move([wallet(id, 5), issue(-5)], referenceId).catch((error: unknown) => error);
    expect(violatedConstraint(again)).to.equal("ledger_movements_once");
    expect(await balanceOf(id)).to.equal(5);
  });

  it("rejects unbalanced, empty, fractional and duplicate entries, and unknown wallets", async () => {
    const { id } = await buildUser({ coins: 100 });
    const wrong: TransferEntry[][] = [
      [],
      [wallet(id, -5)],
      [wallet(id, -5), issue(4)],
      [wallet(id, 0), issue(0)],
      [wallet(id, -0.5), issue(0.5)],
      [wallet(id, Number.NaN), issue(1)],
      [wallet(id, -5), wallet(id, -5), issue(10)],
      [wallet(newId(), 5), issue(-5)],
    ];
    for (const entries of wrong) expect(await outcomeOf(move(entries))).to.match(/^Error: Assertion failed/);
    expect(await balanceOf(id)).to.equal(100);
  });

  it("lets exactly ten of fifty concurrent transfers spend coins for ten", async () => {
    const { id } = await buildUser({ coins: 109 });
    const spend = () => outcomeOf(move([wallet(id, -10), issue(10)]));
    const outcomes = await Promise.all(Array.from({ length: 50 }, spend));
    expect(outcomes.filter((outcome) => outcome === "ok")).to.have.length(10);
    expect(outcomes.filter((outcome) => outcome === "INSUFFICIENT_BALANCE")).to.have.length(40);
    expect(await balanceOf(id)).to.equal(9);
    expect(await differencesOf([id])).to.deep.equal([]);
  });

  it("conserves coins under a random mix of 32 concurrent transfers, recounted meanwhile and afterwards", async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => buildUser({ coins: 200 })));
    const ids = people.map(({ id }) => id);
    const some = () => ids[Math.floor(Math.random() * ids.length)]!;
    const random = (most: number) => 1 + Math.floor(Math.random() * most);
    let issued = 0;
    const act = async (): Promise<string> => {
      const [from, to, amount] = [some(), some(), random(120)];
      if (from !== to) return outcomeOf(move([wallet(from, -amount), wallet(to, amount)]));
      const granted = Math.random() < 0.5 ? amount : -amount;
      const outcome = await outcomeOf(move([wallet(to, granted), issue(-granted)]));
      if (outcome === "ok") issued += granted;
      return outcome;
    };
    const limit = pLimit(32);
    const mix = Promise.all(Array.from({ length: 800 }, () => limit(act)));
    const meanwhile = await differencesOf(ids);
    const outcomes = await mix;
    // No deadlock, no violated CHECK, nothing else: each is done or refused for want of coins.
    expect([...new Set(outcomes)].sort()).to.deep.equal(["INSUFFICIENT_BALANCE", "ok"]);
    const balances = await Promise.all(ids.map(balanceOf));
    expect(balances.reduce<number>((sum, balance) => sum + balance!, 0)).to.equal(5 * 200 + issued);
    expect([...meanwhile, ...(await differencesOf(ids))]).to.deep.equal([]);
  });

  it("is the only writer of wallets and of the ledger, whose readers name the asset", async () => {
    const root = new URL("../../../../", import.meta.url);
    const writes =
      /\b(insert\s+into|update|delete\s+from|truncate|merge\s+into)\s+(wallets|ledger_movements|ledger_entries)\b/i;
    const writers: string[] = [];
    const withoutAsset: string[] = [];
    let seen = 0;
    for await (const file of glob("{*.ts,api/**/*.ts,engine/**/*.ts,shared/**/*.ts}", { cwd: root })) {
      if (file.endsWith(".test.ts")) continue;
      seen += 1;
      const text = await readFile(new URL(file, root), "utf8");
      if (writes.test(text)) writers.push(file);
      for (const [read] of text.matchAll(/\b(?:from|join)\s+wallets\b[\s\S]{0,300}/gi))
        if (!read.includes("asset")) withoutAsset.push(`${file}: ${read}`);
    }
    expect(withoutAsset, "reads coins together with money").to.deep.equal([]);
    // Users of load tests begin with an empty wallet.
    expect(writers.sort()).to.deep.equal(["shared/domain/money/ledger/transfer.ts", "shared/testing/insert-users.ts"]);
    expect(seen).to.be.greaterThan(50);
  });
});
