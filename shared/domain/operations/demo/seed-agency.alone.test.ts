import "#shared/testing/access/access-tokens.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { listManaged } from "#shared/domain/base/managed/managed.queries.ts";
import { getEarnings, listEarnings } from "#shared/domain/money/earnings/earnings.queries.ts";
import { listLiabilities } from "#shared/domain/money/earnings/liabilities.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { configurePayouts } from "#shared/domain/money/payouts/payouts.config.ts";
import { listPayouts } from "#shared/domain/money/payouts/payouts.queries.ts";
import { makeSandboxPayouts } from "#shared/domain/money/payouts/providers/sandbox-payouts.ts";
import { signLedgerHead } from "#shared/domain/operations/admins/ledger-chain.ts";
import { configureAuditSigning } from "#shared/domain/operations/admins/signed-heads.ts";
import { managedPayouts } from "#shared/domain/operations/payouts/managed-payouts.ts";
import { managedRunLines, managedRuns } from "#shared/domain/operations/runs/managed-runs.ts";
import { getProgress, listHostProgress } from "#shared/domain/operations/runs/progress.queries.ts";
import { listAgencyRunLines, listOwnRunLines } from "#shared/domain/operations/runs/run-lines.queries.ts";
import { statementAccount } from "#shared/domain/operations/statements/statement-accounts.ts";
import { getStatement } from "#shared/domain/operations/statements/statements.queries.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { setPublicAddress } from "#shared/kernel/public-address.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buyCoins } from "#shared/testing/earnings.ts";
import { buildGift, buildUser } from "#shared/testing/factories.ts";
import { sandboxSecrets } from "#shared/testing/fakes/sandbox-payments.ts";
import { callerOf } from "#shared/testing/people.ts";
import { seedAgency } from "./seed-agency.ts";
import { seedDemo } from "./seed-demo.ts";
import { seedDemoAdmin } from "./seed-demo-admin.ts";

const page = { page: 1, limit: 100 };
const zone = "Asia/Kolkata";

/** What the ledger says, by plain SQL: the earnings of a user by type of entry, and of the house by account. */
async function sumsOf(where: string, values: readonly unknown[] = []): Promise<Record<string, number>> {
  const rows = await query<{ name: string; amount: number }>(
    `SELECT coalesce(house, type) AS name, sum(amount)::bigint AS amount FROM ledger_entries
     WHERE asset = 'earnings' AND ${where} GROUP BY 1`,
    values,
  );
  return Object.fromEntries(rows.map(({ name, amount }) => [name, amount]));
}
const earnedBy = (userId: string) => sumsOf("user_id = $1", [userId]);
const total = (sums: Readonly<Record<string, number>>) => Object.values(sums).reduce((sum, one) => sum + one, 0);

/** The seconds and the days of at least an hour on a seat in a span. None of the demo's passes midnight. */
const satIn = (hostId: string, from: string, to: string) =>
  queryOne<{ seat_seconds: number; seat_days: number }>(
    `SELECT coalesce(sum(seconds), 0)::bigint AS seat_seconds, count(*) FILTER (WHERE seconds >= 3600)::int AS seat_days
     FROM (SELECT sum(extract(epoch FROM ended_at - started_at)) AS seconds FROM seat_sessions
       WHERE user_id = $1 AND started_at >= $2 AND ended_at < $3 GROUP BY (started_at AT TIME ZONE $4)::date) AS days`,
    [hostId, from, to, zone],
  );

describe("the demo's agency", () => {
  useDatabase();
  let [adaId, graceId]: string[] = [];
  let agencyId: string;
  let folder: string;
  after(() => rm(folder, { recursive: true }));

  before("seeds an empty database", async () => {
    setPublicAddress("http://127.0.0.1:3000");
    folder = await mkdtemp(join(tmpdir(), "hubbub-heads-"));
    configureAuditSigning({ secrets: ["a secret of the demo's tests that signs heads"], folder });
    configurePayouts([makeSandboxPayouts(sandboxSecrets.webhookSecrets)]);
    await seedDemo();
    await seedDemoAdmin();
    await Promise.all([seedAgency(), seedAgency()]);
    const ids = await query<{ id: string }>(
      "SELECT id FROM users WHERE username IN ('ada', 'grace') ORDER BY username",
    );
    [adaId, graceId] = ids.map(({ id }) => id);
    agencyId = (await queryOne<{ id: string }>("SELECT id FROM agencies"))!.id;
  });

  async function expectStudioAgrees(): Promise<void> {
    await signLedgerHead();
    for (const userId of [adaId!, graceId!]) {
      const earned = await earnedBy(userId);
      expect((await getEarnings(userId)).balance).to.equal(total(earned));
      const { items } = await listEarnings(userId, page);
      expect(items.reduce((sum, one) => sum + (one.direction === "debit" ? -one.amount : one.amount), 0)).to.equal(
        total(earned),
      );
      expect(items[0]?.balance_after ?? 0).to.equal(total(earned));
      const statement = await getStatement(await statementAccount("earnings", userId), isoNow().slice(0, 7));
      expect(statement.closing_balance).to.equal(total(earned));
      expect(statement.credits - statement.debits).to.equal(total(earned));
    }
    const { items: lines } = await listOwnRunLines(graceId!, page);
    expect((await listAgencyRunLines(adaId!, agencyId, page)).items).to.deep.equal(lines);
    const sum = (key: "salary" | "commission") => lines.reduce((all, line) => all + line[key], 0);
    expect(sum("salary")).to.equal((await earnedBy(graceId!)).salary);
    expect(sum("commission")).to.equal((await earnedBy(adaId!)).commission ?? 0);
    const { items: payouts } = await listPayouts(graceId!, page);
    expect(payouts.map(({ status, amount }) => [status, -amount])).to.deep.equal([
      ["requested", (await earnedBy(graceId!)).payout],
    ]);
  }

  async function expectProgressAgrees(): Promise<void> {
    const progress = await getProgress(graceId!, "UTC");
    const { items } = await listHostProgress(adaId!, agencyId, page);
    expect(items).to.deep.equal([progress]);
    const { starts_at, ends_at, targets, level, weight, salary } = progress;
    const given = await sumsOf("user_id = $1 AND created_at >= $2 AND created_at < $3", [graceId, starts_at, ends_at]);
    const earnings = (given.gift_received ?? 0) + (given.gift_share ?? 0);
    expect(progress).to.include({ earnings, ...(await satIn(graceId!, starts_at, ends_at)) });
    expect(weight).to.equal(
      targets.reduce((sum, one) => sum + (progress[one.metric] >= one.threshold ? one.weight : 0), 0),
    );
    expect(salary).to.equal(Math.floor((level!.salary * weight) / 100));
  }

  async function expectConsoleAgrees(): Promise<void> {
    const runs = (await listManaged(managedRuns, {}, page)).items;
    const lines = (await listManaged(managedRunLines, {}, page)).items;
    expect(runs.map(({ status }) => status).sort()).to.deep.equal(["checked", "paid"]);
    for (const run of runs) {
      const own = lines.filter(({ run_id }) => run_id === run.id);
      const paid = await sumsOf("movement_id IN (SELECT id FROM ledger_movements WHERE reference_id = ANY ($1))", [
        own.map(({ id }) => id),
      ]);
      const sum = (key: string) => own.reduce((all, line) => all + Number(line[key]), 0);
      expect(run).to.include({ line_count: own.length, salaries: sum("salary"), commissions: sum("commission") });
      const owed = sum("salary") + sum("commission");
      expect(paid.issue ?? 0).to.equal(run.status === "paid" ? -owed : 0);
      for (const line of own) {
        const sat = await satIn(graceId!, String(run.starts_at), String(run.ends_at));
        expect(line).to.include({ host_id: graceId, earnings: 0, ...sat });
      }
    }
    const payouts = (await listManaged(managedPayouts, {}, page)).items;
    const houses = await sumsOf("house IS NOT NULL");
    expect(payouts.reduce((all, { amount }) => all + Number(amount), 0)).to.equal(houses.payouts_held);
    const liabilities = await listLiabilities();
    const users = total(await sumsOf("user_id IS NOT NULL"));
    for (const one of liabilities)
      expect(one).to.include({ earnings: users, held: houses.payouts_held, owed_by_users: 0 });
    expect(liabilities.map(({ currency }) => currency)).to.include("INR");
  }

  it("is seeded once, and its numbers in the studio and the console are those of the ledger", async () => {
    await expectStudioAgrees();
    await expectProgressAgrees();
    await expectConsoleAgrees();
    expect((await earnedBy(graceId!)).salary).to.equal(1600);
    expect(await checkLedger()).to.deep.equal([]);
  });

  it("goes on with the ledger when the host gets a gift", async () => {
    const gift = await buildGift({ price: 100 });
    const room = await queryOne<{ id: string }>("SELECT id FROM rooms WHERE host_id = $1", [graceId]);
    const fan = await buildUser();
    await buyCoins(fan.id, 1000);
    const order = { room_id: room!.id, gift_id: gift.id, recipient_id: graceId!, quantity: 10 };
    await transferGift(callerOf(fan), order);
    expect([(await earnedBy(graceId!)).gift_received, (await earnedBy(adaId!)).gift_share]).to.deep.equal([500, 50]);
    await expectStudioAgrees();
    await expectProgressAgrees();
    await expectConsoleAgrees();
    expect(await checkLedger()).to.deep.equal([]);
  });
});
