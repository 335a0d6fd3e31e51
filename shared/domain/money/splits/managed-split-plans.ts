import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, listOf, nullable, plainTime } from "#shared/contracts/fields.ts";
import { type SplitPlan, splitShares } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { countryCode } from "#shared/domain/identity/users/country-code.ts";
import { clock } from "#shared/kernel/clock.ts";
import type { FieldText } from "#shared/kernel/domain-error.ts";
import { SplitPlanModel } from "./split-plan.model.ts";

/** Who gets which part of the price of gifts. The narrowest plan that has begun splits a gift, or else the settings. */
export const managedSplitPlans: ManagedResource = {
  resource: "split_plans",
  name: "split_plan",
  one: "a split plan",
  many: "split plans",
  model: SplitPlanModel,
  fields: {
    name: line(1, 60, "Hosts earn, from January"),
    shares: splitShares(),
    gift_ids: listOf(id(exampleIds.gift))
      .max(200)
      .unique()
      .description("The gifts that it splits, besides those of `category_ids`. Both empty: all."),
    category_ids: listOf(id(exampleIds.giftCategory)).max(100).unique(),
    countries: listOf(countryCode()).max(250).unique().description("The recipient's countries. Empty: all."),
    starts_at: plainTime("2027-01-01T00:00:00.000Z").description(
      "From when it holds. A time in the past means its creation. A plan that has begun is fixed: only its end can be set, or it is retired, and another follows.",
    ),
    ends_at: nullable(plainTime("2027-02-01T00:00:00.000Z")).description("Exclusive. After `starts_at`.").example(null),
  },
  defaults: { gift_ids: [], category_ids: [], countries: [], ends_at: null },
  check: wrongPlan,
  changed: (tx) => tx.signal("split_plans.changed", {}),
  search: ["name"],
  sorts: ["starts_at", "name", "created_at"],
  exampleId: exampleIds.splitPlan,
};

type Values = Omit<SplitPlan, "id"> & { readonly id?: string };

async function wrongPlan(values: Readonly<Record<string, unknown>>): Promise<FieldText | undefined> {
  const plan = values as unknown as Values;
  const { shares, starts_at, ends_at } = plan;
  if (shares.some(({ to, asset }) => to === "house" && asset === "earnings"))
    return { field: "shares", text: "The house gets coins, not earnings" };
  if (shares.reduce((sum, { basis_points }) => sum + basis_points, 0) !== 10_000)
    return { field: "shares", text: "The basis points of the shares must add up to 10,000" };
  if (ends_at && Date.parse(ends_at) <= Date.parse(starts_at))
    return { field: "ends_at", text: "ends_at must be after starts_at" };
  const unknown = await query<{ field: string }>(
    `SELECT 'gift_ids' AS field FROM unnest($1::text[]) AS listed (one) WHERE NOT EXISTS (SELECT FROM gifts g WHERE g.id::text = one)
     UNION ALL
     SELECT 'category_ids' FROM unnest($2::text[]) AS listed (one)
     WHERE NOT EXISTS (SELECT FROM gift_categories c WHERE c.id::text = one) LIMIT 1`,
    [plan.gift_ids, plan.category_ids],
  );
  if (unknown[0]) return { field: unknown[0].field, text: "{{field}} doesn't exist" };
  return plan.id === undefined ? undefined : wrongChange(plan.id, plan);
}

const fixed = ["name", "shares", "gift_ids", "category_ids", "countries", "starts_at"] as const;

/** A plan that has begun says what gifts were split by: it can only end. */
async function wrongChange(planId: string, plan: Values): Promise<FieldText | undefined> {
  const stored = await SplitPlanModel.read({ id: planId });
  if (!stored || Date.parse(stored.starts_at) > clock.now()) return undefined;
  const changed = fixed.find((name) => textOf(name, plan) !== textOf(name, stored));
  if (changed) return { field: changed, text: "The plan has begun. Let it end, and create another one" };
  const isPast = plan.ends_at !== stored.ends_at && plan.ends_at && Date.parse(plan.ends_at) <= clock.now();
  return isPast ? { field: "ends_at", text: "ends_at must be in the future" } : undefined;
}

const textOf = (name: (typeof fixed)[number], plan: Readonly<Record<(typeof fixed)[number], unknown>>): string =>
  JSON.stringify(name === "starts_at" ? Date.parse(String(plan[name])) : plan[name]);
