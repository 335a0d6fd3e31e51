import type { Agency, Contract as ContractView } from "#shared/contracts/views.ts";
import { defaulted, defineModel, integer, json, key, nullable, text, time, uuid } from "#shared/db/model.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

/** Agencies, whose hosts earn by gifts. */
export const AgencyModel = defineModel("agencies", {
  ...managedColumns,
  ...retirable,
  name: text(),
  owner_id: uuid(),
  country: text(),
  time_zone: text(),
  period: text<Agency["period"]>(),
  status: defaulted(text<Agency["status"]>()),
  plan_id: nullable(uuid()),
});

/** Targets and levels of hosts. */
export const AgencyPlanModel = defineModel("agency_plans", {
  ...managedColumns,
  ...retirable,
  name: text(),
  period: text<Agency["period"]>(),
  day_minutes: integer(),
  targets: json<readonly object[]>(),
  levels: json<readonly object[]>(),
});

/** Contracts of hosts with agencies. A host has one at a time. */
export const ContractModel = defineModel("contracts", {
  id: key(uuid()),
  agency_id: uuid(),
  host_id: uuid(),
  commission_basis_points: integer(),
  starts_at: defaulted(time()),
  ends_at: nullable(time()),
  ended_by: nullable(text<NonNullable<ContractView["ended_by"]>>()),
  created_at: defaulted(time()),
});
