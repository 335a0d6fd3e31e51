import { query } from "#shared/db/query.ts";
import { payRun } from "#shared/domain/operations/runs/pay-run.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildAdmin } from "./admins.ts";
import { type BuiltAgency, buildAgency, buildContract } from "./agencies.ts";

const how = {
  ...{ since: "2026-01-01T00:00:00+00:00", until: "2026-02-01T00:00:00+00:00", day_minutes: 60 },
  ...{ targets: [], level: { name: "All", earnings: 0, salary: 70 }, basis_points: 1000 },
};

/** Pays a host a salary of 70 earnings, and the owner of their agency a commission of 30. Returns the line's ID. */
export async function payLine(hostId: string, of?: BuiltAgency): Promise<string> {
  const [agency, one, another] = await Promise.all([of ?? buildAgency(), buildAdmin(), buildAdmin()]);
  const contractId = await buildContract(agency, { id: hostId });
  const [runId, lineId] = [newId(), newId()];
  await query(
    `INSERT INTO runs (id, period, starts_on, time_zone, starts_at, ends_at, status, created_by, approved_by,
       second_approved_by)
     VALUES ($1, 'month', '2026-01-01', $4, '2026-01-01', '2026-02-01', 'approved', $2, $2, $3)`,
    [runId, one.id, another.id, `Etc/${newId()}`],
  );
  await query(
    `INSERT INTO run_lines (id, run_id, contract_id, agency_id, host_id, owner_id, earnings, seat_seconds, seat_days,
       weight, salary, commission, how)
     VALUES ($1, $2, $3, $4, $5, $6, 0, 0, 0, 100, 70, 30, $7)`,
    [lineId, runId, contractId, agency.id, hostId, agency.owner.id, JSON.stringify(how)],
  );
  await payRun({ run_id: runId });
  return lineId;
}
