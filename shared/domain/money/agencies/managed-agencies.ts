import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { id, line, nullable, oneOf, time, zone } from "#shared/contracts/fields.ts";
import { agencyPeriods, agencyStatuses, commission, contractEnders } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { countryCode } from "#shared/domain/identity/users/country-code.ts";
import type { FieldText } from "#shared/kernel/domain-error.ts";
import { AgencyModel, AgencyPlanModel, ContractModel } from "./agency.model.ts";

/** Agencies. What their runs settle mustn't overlap or leave gaps, so their zone and their period are fixed. */
export const managedAgencies: ManagedResource = {
  resource: "agencies",
  name: "agency",
  one: "an agency",
  many: "agencies",
  model: AgencyModel,
  fields: {
    name: line(1, 60, "North Star"),
    owner_id: id(exampleIds.ada).description("Gets its shares and commissions. Isn't a host of any agency."),
    country: countryCode(),
    time_zone: zone("days").description("IANA name of the zone in which its days begin. Can't be changed."),
    period: oneOf(...agencyPeriods)
      .description("What each of its runs settles. Can't be changed.")
      .example("month"),
    status: oneOf(...agencyStatuses)
      .description("`suspended`: it gets no shares or commissions, and can't invite. Its contracts stay.")
      .example("active"),
    plan_id: nullable(id(exampleIds.agencyPlan)).description(
      "The targets and levels of its hosts, of the same period.",
    ),
  },
  defaults: { time_zone: "UTC", period: "month", status: "active", plan_id: null },
  check: wrongAgency,
  search: ["name"],
  filters: { owner_id: id(exampleIds.ada), status: oneOf(...agencyStatuses) },
  sorts: ["name", "created_at"],
  exampleId: exampleIds.agency,
};

interface Values {
  readonly id?: string;
  readonly owner_id: string;
  readonly time_zone: string;
  readonly period: string;
  readonly plan_id: string | null;
}

async function wrongAgency(values: Readonly<Record<string, unknown>>): Promise<FieldText | undefined> {
  const { id: agencyId, owner_id, time_zone, period, plan_id } = values as unknown as Values;
  const owner = await queryOne<{ is_host: boolean }>(
    `SELECT EXISTS (SELECT FROM contracts c WHERE c.host_id = u.id AND (c.ends_at IS NULL OR c.ends_at > now())) AS is_host
     FROM users u WHERE u.id = $1 AND u.status = 'active' AND NOT u.is_guest`,
    [owner_id],
  );
  if (!owner) return { field: "owner_id", text: "{{field}} doesn't exist" };
  if (owner.is_host) return { field: "owner_id", text: "A host of an agency can't own one" };
  const plan = plan_id === null ? undefined : await AgencyPlanModel.read({ id: plan_id }, ["period"]);
  if (plan && plan.period !== period) return { field: "plan_id", text: "The plan is for another period" };
  const stored = agencyId === undefined ? undefined : await AgencyModel.read({ id: agencyId });
  if (stored && stored.time_zone !== time_zone) return { field: "time_zone", text: "{{field}} can't be changed" };
  if (stored && stored.period !== period) return { field: "period", text: "{{field}} can't be changed" };
  return undefined;
}

/** Contracts, as administrators see them. */
export const managedContracts: ManagedResource = {
  resource: "agencies",
  listed: { as: "contracts", permission: "agencies.read" },
  name: "contract",
  one: "a contract",
  many: "contracts of hosts",
  model: ContractModel,
  fields: {},
  defaults: {},
  shown: {
    agency_id: id(exampleIds.agency),
    host_id: id(exampleIds.grace),
    commission_basis_points: commission(),
    starts_at: time(exampleTime(exampleIds.contract)),
    ends_at: nullable(time(exampleTime(exampleIds.contract, 31_536_000))).description(
      "Exclusive. Null: until either side gives notice.",
    ),
    ended_by: nullable(oneOf(...contractEnders)).example(null),
  },
  search: [],
  filters: { agency_id: id(exampleIds.agency), host_id: id(exampleIds.grace) },
  hasPeriod: true,
  sorts: ["-created_at"],
  exampleId: exampleIds.contract,
};
