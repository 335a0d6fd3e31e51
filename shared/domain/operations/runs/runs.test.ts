import { expect } from "chai";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import { createManaged, updateManaged } from "#shared/domain/base/managed/write-managed.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { freeSeat } from "#shared/domain/live/rooms/live.ts";
import { recordSittings } from "#shared/domain/live/rooms/seat-sessions.ts";
import { managedAgencies } from "#shared/domain/money/agencies/managed-agencies.ts";
import { managedAgencyPlans } from "#shared/domain/money/agencies/managed-agency-plans.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { findDifferences } from "#shared/domain/money/ledger/check-ledger.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { type BuiltAgency, buildAgency, buildContract } from "#shared/testing/agencies.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildSplitPlan, buyCoins } from "#shared/testing/earnings.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { adminCaller, callerOf, outcomeOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { checkRun } from "./check-run.ts";
import { computeRun } from "./compute-run.ts";
import { managedRuns } from "./managed-runs.ts";
import { payRun } from "./pay-run.ts";
import { getProgress, listHostProgress } from "./progress.queries.ts";
import { listAgencyRunLines, listOwnRunLines } from "./run-lines.queries.ts";
import { approveRun, cancelRun, correctRun, createRun, recomputeRun } from "./runs.ts";

const newAdmin = async (): Promise<AdminPrincipal> => ({ ...adminCaller(), adminId: (await buildAdmin()).id });
const rowOf = async (id: string) =>
  (await queryOne<Record<string, unknown>>("SELECT * FROM runs WHERE id = $1", [id]))!;
const linesOf = (id: string) =>
  query<Record<string, number | string | null>>(
    `SELECT contract_id, earnings, seat_seconds, seat_days, weight, level, salary, commission FROM run_lines
     WHERE run_id = $1 ORDER BY contract_id`,
    [id],
  );
const sit = (userId: string, from: string, to: string) =>
  query("INSERT INTO seat_sessions (id, user_id, room_id, started_at, ended_at) VALUES ($1, $2, $1, $3, $4)", [
    newId(),
    userId,
    from,
    to,
  ]);

describe("a run", () => {
  // Jobs run there.
  useService();
  let [admin, second]: AdminPrincipal[] = [];
  let giftId: string;
  let planId: string;
  let roomId: string;
  before(async () => {
    rememberSettings({ earnings_maturing_days: 0 });
    [admin, second] = [await newAdmin(), await newAdmin()];
    giftId = (await buildGift({ price: 10 })).id;
    roomId = (await buildRoom()).id;
    await buildSplitPlan([{ to: "receiver", basis_points: 10_000, asset: "earnings" }], { gift_ids: [giftId] });
    planId = String(
      (
        await createManaged(adminCaller(), managedAgencyPlans, {
          ...{ name: `Targets ${newId()}`, period: "month", day_minutes: 60 },
          targets: [
            { metric: "seat_seconds", threshold: 7200, weight: 50 },
            { metric: "seat_days", threshold: 2, weight: 30 },
            { metric: "earnings", threshold: 100, weight: 20 },
          ],
          levels: [
            { name: "Bronze", earnings: 0, salary: 100 },
            { name: "Silver", earnings: 500, salary: 1001 },
          ],
        })
      ).id,
    );
  });
  after(async () => {
    rememberSettings({ earnings_maturing_days: settingDefault("earnings_maturing_days") });
    await query("UPDATE split_plans SET retired_at = now()");
    await loadSplitPlans();
  });

  /** A zone of its own, so that a run has no agencies of other tests. */
  const zones = Intl.supportedValuesOf("timeZone").filter((name) => name.startsWith("Pacific/"));
  async function buildCast(hosts: number, more: object = {}) {
    const agency = await buildAgency({ time_zone: zones.pop()!, plan_id: planId, ...more });
    const people = await Promise.all(Array.from({ length: hosts }, () => buildUser()));
    const contracts: string[] = [];
    for (const host of people) contracts.push(await buildContract(agency, host));
    return { agency, people, contracts };
  }
  async function earn(host: BuiltUser, coins: number): Promise<void> {
    const fan = await buildUser();
    await buyCoins(fan.id, coins);
    await transferGift(callerOf(fan), {
      room_id: roomId,
      gift_id: giftId,
      recipient_id: host.id,
      quantity: coins / 10,
    });
  }
  /** Begins a run of the current month, which the command wouldn't yet. */
  async function begin(agency: BuiltAgency): Promise<string> {
    const id = newId();
    await query(
      `INSERT INTO runs (id, period, starts_on, time_zone, starts_at, ends_at, created_by)
       SELECT $1, 'month', day, a.time_zone, day AT TIME ZONE a.time_zone, (day + interval '1 month') AT TIME ZONE a.time_zone, $3
       FROM agencies a, date_trunc('month', now() AT TIME ZONE a.time_zone) AS day WHERE a.id = $2`,
      [id, agency.id, admin!.adminId],
    );
    return id;
  }
  const earningsOf = async ({ id }: { readonly id: string }) =>
    (await queryOne<{ balance: number }>("SELECT balance FROM wallets WHERE user_id = $1 AND asset = 'earnings'", [id]))
      ?.balance ?? 0;
  async function recompute(run_id: string): Promise<void> {
    await recomputeRun(admin!, run_id);
    await computeRun({ run_id });
  }
  async function approved(agency: BuiltAgency, begun?: string): Promise<string> {
    const run_id = begun ?? (await begin(agency));
    await computeRun({ run_id });
    await checkRun({ run_id });
    // Without the job that pays it.
    await query("UPDATE runs SET approved_by = $2, second_approved_by = $3, status = 'approved' WHERE id = $1", [
      run_id,
      admin!.adminId,
      second!.adminId,
    ]);
    return run_id;
  }

  it("begins at a midnight of its zone and ends at another, over daylight saving", async () => {
    const run = (starts_on: string, period: "week" | "month" = "month") =>
      createRun(admin!, { period, starts_on, time_zone: "Europe/Berlin" });

    expect(await run("2026-10-01")).to.include({
      starts_at: "2026-09-30T22:00:00.000Z",
      ends_at: "2026-10-31T23:00:00.000Z",
      status: "draft",
    });
    expect(await run("2026-10-19", "week")).to.include({
      starts_at: "2026-10-18T22:00:00.000Z",
      ends_at: "2026-10-25T23:00:00.000Z",
    });
    expect(await outcomeOf(run("2026-10-01"))).to.equal("CONFLICT");
    expect(await outcomeOf(run("2026-10-02"))).to.equal("VALIDATION_ERROR");
    expect(await outcomeOf(run("2099-10-01"))).to.equal("VALIDATION_ERROR");
  });

  it("has a line for each host: what they earned and sat, their level and targets, and what follows", async () => {
    const { agency, people, contracts } = await buildCast(2);
    const [busy, idle] = people as [BuiltUser, BuiltUser];
    await earn(busy, 600);
    const day = (await queryOne<{ at: string }>(
      "SELECT date_trunc('month', now() AT TIME ZONE time_zone) AT TIME ZONE time_zone AS at FROM agencies WHERE id = $1",
      [agency.id],
    ))!.at;
    const at = (hours: number) => new Date(Date.parse(day) + hours * 3_600_000).toISOString();
    // Before the month, over a midnight, and less than what makes a day.
    await sit(busy.id, at(-1), at(1));
    await sit(busy.id, at(23.5), at(25.5));
    await sit(idle.id, at(50), at(50.5));

    const run_id = await begin(agency);
    await computeRun({ run_id });

    expect(await linesOf(run_id)).to.deep.equal(
      [
        {
          contract_id: contracts[0]!,
          earnings: 600,
          seat_seconds: 10_800,
          seat_days: 2,
          weight: 100,
          level: "Silver",
          salary: 1001,
          commission: 60,
        },
        {
          contract_id: contracts[1]!,
          earnings: 0,
          seat_seconds: 1800,
          seat_days: 0,
          weight: 0,
          level: "Bronze",
          salary: 0,
          commission: 0,
        },
      ].toSorted((one, other) => (one.contract_id < other.contract_id ? -1 : 1)),
    );
  });

  it("shows a host and their agency what it would pay by now, and its lines once it is approved", async () => {
    const { agency, people, contracts } = await buildCast(1);
    const [host, other] = [people[0]!, await buildUser()];
    await earn(host, 500);
    const [minutesAgo, now] = [new Date(Date.now() - 600_000).toISOString(), new Date().toISOString()];
    await sit(host.id, minutesAgo, now);
    const run_id = await begin(agency);
    await computeRun({ run_id });
    const [line] = await linesOf(run_id);

    const shown = await getProgress(host.id, "UTC");
    const { contract_id: _id, level, commission: _commission, ...counted } = line!;
    expect(shown).to.deep.include(counted);
    expect([shown.contract?.id, shown.level?.name, shown.next_level]).to.deep.equal([contracts[0], level, null]);
    expect(shown.targets.map(({ metric, reached }) => [metric, reached])).to.deep.equal([
      ["seat_seconds", counted.seat_seconds],
      ["seat_days", 0],
      ["earnings", 500],
    ]);
    expect(shown.today.earnings).to.equal(500);
    const page = { page: 1, limit: 20 };
    expect((await listHostProgress(agency.owner.id, agency.id, page)).items).to.deep.equal([shown]);
    expect(await getProgress(other.id, "Asia/Kolkata")).to.deep.include({
      ...{ contract: null, period: "month", time_zone: "Asia/Kolkata", earnings: 0, targets: [], level: null },
    });

    const own = () => listOwnRunLines(host.id, page);
    expect((await own()).total).to.equal(0);
    await checkRun({ run_id });
    await query("UPDATE runs SET status = 'approved' WHERE id = $1", [run_id]);
    const [approvedLine] = (await own()).items;
    expect(approvedLine).to.deep.include({ ...counted, level, commission: line!.commission, paid_at: null });
    expect(approvedLine!.how.targets).to.have.length(3);
    expect((await listAgencyRunLines(agency.owner.id, agency.id, page)).items).to.deep.equal([approvedLine]);
    expect((await listOwnRunLines(other.id, page)).total).to.equal(0);
    for (const list of [listAgencyRunLines, listHostProgress])
      for (const { id } of [host, other]) expect(await outcomeOf(list(id, agency.id, page))).to.equal("NOT_FOUND");
  });

  it("counts the days of a zone whose clocks go back", async () => {
    const agency = await buildAgency({ time_zone: "Europe/Vienna", plan_id: planId });
    const host = await buildUser();
    await buildContract(agency, host);
    // From 22:00 on the 24th to 00:30 on the 26th: two, 25, and half an hour.
    await sit(host.id, "2026-10-24T20:00:00Z", "2026-10-25T23:30:00Z");
    const { id } = await createRun(admin!, { period: "month", starts_on: "2026-10-01", time_zone: "Europe/Vienna" });
    await computeRun({ run_id: String(id) });
    await checkRun({ run_id: String(id) });

    expect((await linesOf(String(id)))[0]).to.include({ seat_seconds: 27.5 * 3600, seat_days: 2 });
    expect((await rowOf(String(id))).status).to.equal("checked");
  });

  it("counts nothing outside of the contract", async () => {
    const { agency, people } = await buildCast(1);
    await buildContract(agency, people[0]!, { starts_at: new Date(Date.now() + 3_600_000).toISOString() });
    await earn(people[0]!, 100);
    const run_id = await begin(agency);
    await computeRun({ run_id });
    expect((await linesOf(run_id)).map(({ earnings }) => earnings).toSorted()).to.deep.equal([0, 100]);
  });

  it("has the same lines, to the byte, however often and in whichever run it is computed", async () => {
    const { agency, people } = await buildCast(3);
    for (const host of people) await earn(host, 100);
    const first = await begin(agency);
    await computeRun({ run_id: first });
    const { hash } = await rowOf(first);
    await recompute(first);
    expect((await rowOf(first)).hash).to.equal(hash);

    await cancelRun(admin!, first);
    const again = await begin(agency);
    await computeRun({ run_id: again });
    expect((await rowOf(again)).hash).to.equal(hash);
    await earn(people[0]!, 10);
    await recompute(again);
    expect((await rowOf(again)).hash).to.not.equal(hash);
  });

  it("shows its progress, and goes on where it was killed", async () => {
    const { agency, people } = await buildCast(2);
    for (const host of people) await earn(host, 100);
    const whole = await begin(agency);
    await computeRun({ run_id: whole });
    const { hash } = await rowOf(whole);
    await cancelRun(admin!, whole);

    const killed = await begin(agency);
    const progress = async () => (await getManaged(managedRuns, killed)).progress;
    for (const [most, percent] of [
      [1, 0],
      [2, 40],
      [2, 80],
    ] as const) {
      await computeRun({ run_id: killed }, { forMs: 0, most });
      expect(await progress()).to.equal(percent);
    }
    // Another release cut the work otherwise: it begins again, and counts nothing twice.
    await query("UPDATE runs SET step_sizes = '9 100' WHERE id = $1", [killed]);
    await computeRun({ run_id: killed }, { forMs: 0, most: 2 });
    expect(await progress()).to.equal(20);
    await Promise.all([1, 2].map(() => computeRun({ run_id: killed }, { forMs: 0 })));
    expect([await progress(), (await rowOf(killed)).hash]).to.deep.equal([null, hash]);

    const pay = await approved(agency, killed);
    await payRun({ run_id: pay }, { batch: 1, most: 1 });
    expect(await progress()).to.equal(50);
    await payRun({ run_id: pay });
    expect(await progress()).to.equal(null);
  });

  it("can't go on while a line doesn't add up, and names it", async () => {
    const { agency, people, contracts } = await buildCast(2);
    await earn(people[0]!, 500);
    const run_id = await begin(agency);
    await computeRun({ run_id });
    const wrong = ["earnings = earnings + 1", "seat_seconds = 1", "salary = salary + 1", "commission = commission + 1"];
    for (const change of wrong) {
      await query(`UPDATE run_lines SET ${change} WHERE run_id = $1 AND contract_id = $2`, [run_id, contracts[0]]);
      await checkRun({ run_id });
      expect(await rowOf(run_id), change).to.deep.include({
        status: "draft",
        problems: [{ contract_id: contracts[0], problem: "differs" }],
      });
      expect(await outcomeOf(approveRun(admin!, run_id))).to.equal("CONFLICT");
      await recompute(run_id);
    }
    await query("DELETE FROM run_lines WHERE run_id = $1 AND contract_id = $2", [run_id, contracts[1]]);
    await checkRun({ run_id });
    expect((await rowOf(run_id)).problems).to.deep.equal([{ contract_id: contracts[1], problem: "missing" }]);
  });

  it("is approved by two administrators, neither of whom controls the other", async () => {
    const { agency } = await buildCast(1);
    const run_id = await begin(agency);
    await computeRun({ run_id });
    await checkRun({ run_id });
    const below = await newAdmin();
    await query("INSERT INTO admin_controls (admin_id, controlled_by) VALUES ($1, $2)", [
      below.adminId,
      admin!.adminId,
    ]);

    expect(await approveRun(admin!, run_id)).to.include({ status: "checked" });
    expect(await outcomeOf(approveRun(admin!, run_id))).to.equal("FORBIDDEN");
    expect(await outcomeOf(approveRun(below, run_id))).to.equal("FORBIDDEN");
    expect(await approveRun(second!, run_id)).to.include({ status: "approved" });
    expect(await outcomeOf(recomputeRun(admin!, run_id))).to.equal("CONFLICT");
  });

  it("pays each line once, killed between batches and by two jobs at once", async () => {
    const { agency, people } = await buildCast(5);
    for (const host of people) await earn(host, 500);
    const run_id = await approved(agency);
    const before = await findDifferences();

    await payRun({ run_id }, { batch: 1, most: 2 });
    expect(await rowOf(run_id)).to.include({ status: "approved" });
    await Promise.all([payRun({ run_id }, { batch: 1 }), payRun({ run_id }, { batch: 2 })]);
    await payRun({ run_id });

    expect(await rowOf(run_id)).to.include({ status: "paid", salaries: 1000, commissions: 250 });
    // A fifth of the weight: the earnings.
    expect(await Promise.all(people.map(earningsOf))).to.deep.equal(people.map(() => 500 + 200));
    expect(await earningsOf(agency.owner)).to.equal(250);
    expect((await findDifferences()).filter((text) => !before.includes(text))).to.deep.equal([]);
  });

  it("goes one way when administrators do everything at once, and pays once or not at all", async () => {
    const { agency, people } = await buildCast(2);
    for (const host of people) await earn(host, 500);
    const before = await findDifferences();
    const run_id = await begin(agency);
    await computeRun({ run_id });
    await checkRun({ run_id });
    const ways = [approveRun, approveRun, cancelRun, recomputeRun];
    const calls = [admin!, second!, admin!].flatMap((by) => ways.map((way) => outcomeOf(way(by, run_id))));
    const pays = [1, 2].map(() => payRun({ run_id }));
    const outcomes = await Promise.all(calls);
    expect(["ok", "CONFLICT", "FORBIDDEN"]).to.include.members(outcomes);

    await Promise.all(pays);
    await payRun({ run_id });
    const { status, approved_by, second_approved_by } = await rowOf(run_id);
    const paid = status === "paid" ? 700 : 500;
    expect(await Promise.all(people.map(earningsOf))).to.deep.equal([paid, paid]);
    expect(status === "paid").to.equal(approved_by !== null && second_approved_by !== null);
    expect(approved_by === null || approved_by !== second_approved_by).to.equal(true);
    expect((await findDifferences()).filter((text) => !before.includes(text))).to.deep.equal([]);
  });

  it("takes corrections into the next line, and leaves for later what would make it negative", async () => {
    const { agency, people, contracts } = await buildCast(2);
    for (const host of people) await earn(host, 500);
    const correct = (contract_id: string, salary: number) =>
      correctRun(admin!, { contract_id, salary, commission: 0, reason: "Lost hours" });
    await correct(contracts[0]!, 30);
    await correct(contracts[0]!, -10);
    await correct(contracts[1]!, -10_000);
    const run_id = await approved(agency);
    await payRun({ run_id });

    expect(await Promise.all(people.map(earningsOf))).to.deep.equal([500 + 220, 500 + 200]);
    const waiting = await query(
      "SELECT contract_id FROM run_corrections WHERE run_id IS NULL AND contract_id = ANY ($1)",
      [contracts],
    );
    expect(waiting).to.deep.equal([{ contract_id: contracts[1] }]);
  });

  it("pays no commission to a suspended agency, and the salary still", async () => {
    const { agency, people } = await buildCast(1);
    await earn(people[0]!, 500);
    await updateManaged(adminCaller(), managedAgencies, agency.id, { status: "suspended" });
    const run_id = await approved(agency);
    await payRun({ run_id });
    expect([await earningsOf(people[0]!), await earningsOf(agency.owner)]).to.deep.equal([700, 0]);
  });
});

describe("a time on a seat", () => {
  useDatabase();

  it("is one row at its end", async () => {
    const [ada, grace] = [await buildUser(), await buildUser()];
    const since = new Date(Date.now() - 60_000).toISOString();
    const seatOf = (userId: string) => ({ ...freeSeat, userId, since });
    const roomId = newId();
    await inTransaction(async (tx) => {
      recordSittings(tx, roomId, [seatOf(ada.id), seatOf(grace.id)], [{ ...seatOf(ada.id), muted: true }, freeSeat]);
    });
    const rows = await query(
      "SELECT user_id, round(extract(epoch FROM ended_at - started_at)) >= 60 AS long FROM seat_sessions WHERE room_id = $1",
      [roomId],
    );
    expect(rows).to.deep.equal([{ user_id: grace.id, long: true }]);
  });
});
