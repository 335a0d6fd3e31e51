import { service } from "#shared/contracts/principal.ts";
import { locks } from "#shared/db/locks.ts";
import { queryOne } from "#shared/db/query.ts";
import { alone, inTransaction, type Tx } from "#shared/db/transaction.ts";
import { KycCases } from "#shared/domain/identity/kyc/kyc.model.ts";
import { AgencyModel, AgencyPlanModel } from "#shared/domain/money/agencies/agency.model.ts";
import { moveEarnings } from "#shared/domain/money/payouts/move-payout.ts";
import { PayoutModel } from "#shared/domain/money/payouts/payout.model.ts";
import { findMethod, maskedOf, priceOf } from "#shared/domain/money/payouts/payout-methods.ts";
import { sealedFor } from "#shared/domain/money/payouts/request-payout.ts";
import { SplitPlanModel } from "#shared/domain/money/splits/split-plan.model.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { createSuperAdmin } from "#shared/domain/operations/admins/create-super-admin.ts";
import { checkRun } from "#shared/domain/operations/runs/check-run.ts";
import { computeRun } from "#shared/domain/operations/runs/compute-run.ts";
import { payRun } from "#shared/domain/operations/runs/pay-run.ts";
import { daysMs, isoNow } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { seal } from "#shared/kernel/seal.ts";
import { demoAdminEmail, secondAdminEmail } from "./seed-demo-admin.ts";

const [country, zone] = ["IN", "Asia/Kolkata"];
const payoutAmount = 1000;

/**
 * Gives the studio and the console something of the host economy: a plan that lets the demo people earn, an agency of
 * Ada's with Grace as its host, an invitation, two runs, one of them paid, and a payout that waits. Once, and only if
 * there is no agency and no split plan.
 */
export async function seedAgency(): Promise<void> {
  const cast = await inTransaction(async (tx) => {
    // Processes that start together seed once.
    await tx.query("SELECT pg_advisory_xact_lock($1)", [locks.demoData]);
    return found(tx);
  });
  if (!cast) return;
  await loadSplitPlans();
  await sitForMonths(cast.hostId);
  await settle();
  await requestPayout(cast.hostId);
}

/** Step: founds the agency, and what it needs. Returns undefined if there is one, or the demo people are missing. */
async function found(tx: Tx): Promise<{ readonly hostId: string } | undefined> {
  const people = await tx.query<{ id: string; username: string }>(
    `UPDATE users SET country = $1 WHERE username IN ('ada', 'grace', 'joan') AND email LIKE '%@demo.example'
       AND NOT EXISTS (SELECT FROM agencies) AND NOT EXISTS (SELECT FROM split_plans)
       AND EXISTS (SELECT FROM admins WHERE email = $2)
     RETURNING id, username`,
    [country, demoAdminEmail],
  );
  const idOf = (username: string) => people.find((person) => person.username === username)?.id;
  const [ownerId, hostId, invitedId] = ["ada", "grace", "joan"].map(idOf);
  if (!ownerId || !hostId) return undefined;
  const [planId, agencyId] = [newId(), newId()];
  await SplitPlanModel.insert(tx, {
    ...{ id: newId(), name: "Hosts in India earn (demo)", countries: [country], starts_at: isoNow() },
    shares: [
      { to: "receiver", basis_points: 5000, asset: "earnings" },
      { to: "agency", basis_points: 500, asset: "earnings" },
      { to: "house", basis_points: 4500 },
    ],
  });
  await AgencyPlanModel.insert(tx, {
    ...{ id: planId, name: "Monthly targets (demo)", period: "month", day_minutes: 60 },
    targets: [
      { metric: "seat_seconds", threshold: 72_000, weight: 40 },
      { metric: "seat_days", threshold: 12, weight: 40 },
      { metric: "earnings", threshold: 5000, weight: 20 },
    ],
    levels: [
      { name: "Bronze", earnings: 0, salary: 2000 },
      { name: "Silver", earnings: 5000, salary: 6000 },
    ],
  });
  const agency = { id: agencyId, name: "Lamplight Hosts", owner_id: ownerId, country, time_zone: zone };
  await AgencyModel.insert(tx, { ...agency, period: "month", plan_id: planId });
  await tx.signal("split_plans.changed", {});
  // Without events: the demo people have no notifications of what they haven't seen.
  const start = "date_trunc('month', now() AT TIME ZONE $4) - interval '2 months'";
  await tx.query(
    `INSERT INTO contracts (id, agency_id, host_id, commission_basis_points, starts_at)
     VALUES ($1, $2, $3, 1000, (${start}) AT TIME ZONE $4)`,
    [newId(), agencyId, hostId, zone],
  );
  if (invitedId)
    await tx.query(
      `INSERT INTO agency_invitations (id, agency_id, user_id, invited_by, commission_basis_points, expires_at)
       VALUES ($1, $2, $3, $4, 1000, now() + interval '30 days')`,
      [newId(), agencyId, invitedId, ownerId],
    );
  return { hostId };
}

/** Lets the host sit for two hours on most days of the contract. */
const sitForMonths = (hostId: string) =>
  alone(
    `INSERT INTO seat_sessions (id, user_id, room_id, started_at, ended_at)
     SELECT gen_random_uuid(), $1, r.id, day AT TIME ZONE $2, (day + interval '2 hours') AT TIME ZONE $2
     FROM rooms r, generate_series(date_trunc('month', now() AT TIME ZONE $2) - interval '2 months',
       now() AT TIME ZONE $2 - interval '2 hours', interval '36 hours') AS day
     WHERE r.host_id = $1 AND r.status = 'open'`,
    [hostId, zone],
  );

/** Settles the month before the last one, and leaves the last one to be approved. */
async function settle(): Promise<void> {
  await createSuperAdmin({ email: secondAdminEmail, fullName: "Second Demo Administrator", password: newId() });
  const [one, other] = await Promise.all(
    [demoAdminEmail, secondAdminEmail].map(async (email) => {
      const admin = await queryOne<{ id: string }>("SELECT id FROM admins WHERE email = $1", [email]);
      return admin!.id;
    }),
  );
  for (const [months, isPaid] of [
    [2, true],
    [1, false],
  ] as const) {
    const run_id = newId();
    await alone(
      `INSERT INTO runs (id, period, starts_on, time_zone, starts_at, ends_at, created_by)
       SELECT $1, 'month', day, $2, day AT TIME ZONE $2, (day + interval '1 month') AT TIME ZONE $2, $3
       FROM (SELECT date_trunc('month', now() AT TIME ZONE $2) - $4 * interval '1 month' AS day) AS month`,
      [run_id, zone, one, months],
    );
    await computeRun({ run_id });
    await checkRun({ run_id });
    if (!isPaid) continue;
    await alone(
      `UPDATE runs SET status = 'approved', approved_by = $2, second_approved_by = $3 WHERE id = $1 AND status = 'checked'`,
      [run_id, one, other],
    );
    await payRun({ run_id });
  }
}

/** What the host was paid hasn't matured, so that the command would refuse. */
const requestPayout = (userId: string): Promise<void> =>
  inTransaction(async (tx) => {
    const expires_at = new Date(Date.parse(isoNow()) + daysMs(365)).toISOString();
    await KycCases.insert(tx, {
      ...{ id: newId(), user_id: userId, provider: "sandbox", status: "approved", level: 1, expires_at },
      decided_at: isoNow(),
    });
    const [id, details] = [newId(), { vpa: "grace@demobank" }];
    const method = await findMethod(userId, "upi", details);
    if (!method) return;
    const { kind, provider, currency, rate } = method;
    await PayoutModel.insert(tx, {
      ...{ id, user_id: userId, method_id: method.id, kind, provider, amount: payoutAmount, currency, rate },
      ...priceOf(method, payoutAmount),
      ...{ shown: maskedOf(details), details_sealed: seal(sealedFor(id), JSON.stringify(details)) },
    });
    const payout = { id, user_id: userId, amount: payoutAmount };
    await moveEarnings(tx, service, payout, { status: "requested", to: "payouts_held" });
  });
