import { exampleIds } from "#shared/contracts/examples.ts";
import { integer, line, listOf, oneOf } from "#shared/contracts/fields.ts";
import { agencyPeriods, level, target } from "#shared/contracts/views.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import type { FieldText } from "#shared/kernel/domain-error.ts";
import { AgencyPlanModel } from "./agency.model.ts";

/** What the hosts of an agency are measured by, and what the house pays them for it. */
export const managedAgencyPlans: ManagedResource = {
  resource: "agency_plans",
  name: "agency_plan",
  one: "an agency plan",
  many: "plans of targets",
  model: AgencyPlanModel,
  fields: {
    name: line(1, 60, "Monthly targets"),
    period: oneOf(...agencyPeriods)
      .description("Of its agencies.")
      .example("month"),
    day_minutes: integer(0, 1440, 60).description("How long a host sits on a day that counts."),
    targets: listOf(target)
      .max(10)
      .description("Their weights add up to 100. Empty: the salary depends on the level only."),
    levels: listOf(level).max(50).unique("earnings").unique("name"),
  },
  defaults: { day_minutes: 60, targets: [], levels: [] },
  check: wrongTargets,
  search: ["name"],
  filters: { period: oneOf(...agencyPeriods) },
  sorts: ["name", "created_at"],
  exampleId: exampleIds.agencyPlan,
};

function wrongTargets({ targets }: Readonly<Record<string, unknown>>): FieldText | undefined {
  const weights = (targets as readonly { weight: number }[]).map(({ weight }) => weight);
  const isWhole = weights.length === 0 || weights.reduce((sum, weight) => sum + weight) === 100;
  return isWhole ? undefined : { field: "targets", text: "The weights of the targets must add up to 100" };
}
