import type { SplitPlan } from "#shared/contracts/views.ts";
import { keepCurrent } from "#shared/db/keep-current.ts";
import { query } from "#shared/db/query.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { coins } from "#shared/domain/money/ledger/assets.ts";
import { isoNow } from "#shared/kernel/clock.ts";

/** What a plan can depend on. `at` is ISO 8601. */
export interface SplitOccasion {
  readonly gift: { readonly id: string; readonly category_id: string };
  /** The recipient's, if they have said it. */
  readonly country: string | null;
  readonly at: string;
}

/** This process's plans, which narrower ones precede: read at the start, and again whenever one has changed. */
let current: readonly SplitPlan[] = [];

/** Returns the plans that hold now or later, each before those that it has precedence over. Reads memory only. */
export const splitPlans = (): readonly SplitPlan[] => current;

/** How narrow a plan is: its gifts count more than its countries, and these more than its end. */
const narrowness = `(gift_ids || category_ids <> '{}')::int * 4 + (countries <> '{}')::int * 2 + (ends_at IS NOT NULL)::int`;

/** Reads the plans that hold or will. */
export const loadSplitPlans = keepCurrent("split_plans.changed", async () => {
  const plans = await query<SplitPlan & Record<string, unknown>>(
    `SELECT id, name, shares, gift_ids, category_ids, countries, starts_at, ends_at FROM split_plans
     WHERE retired_at IS NULL AND (ends_at IS NULL OR ends_at > now())
     ORDER BY ${narrowness} DESC, starts_at DESC, id DESC`,
  );
  current = plans.map((plan) => ({
    ...plan,
    shares: plan.shares.map((share) => ({ ...share, asset: share.asset ?? coins })),
  }));
});

const holdsAt = ({ starts_at, ends_at }: SplitPlan, at: number): boolean =>
  Date.parse(starts_at) <= at && (ends_at === null || at < Date.parse(ends_at));

/** Whether a plan can hold for gifts to recipients of this country, or to those who haven't said theirs. */
export const isForCountry = ({ countries }: SplitPlan, country: string | null): boolean =>
  countries.length === 0 || (country !== null && countries.includes(country));

const isFor = (plan: SplitPlan, { gift, country }: SplitOccasion): boolean =>
  ((plan.gift_ids.length === 0 && plan.category_ids.length === 0) ||
    plan.gift_ids.includes(gift.id) ||
    plan.category_ids.includes(gift.category_id)) &&
  isForCountry(plan, country);

/** Returns the plan that splits a gift; undefined if the settings do. */
export function planFor(plans: readonly SplitPlan[], occasion: SplitOccasion): SplitPlan | undefined {
  if (plans.length === 0) return undefined;
  const at = Date.parse(occasion.at);
  return plans.find((plan) => holdsAt(plan, at) && isFor(plan, occasion));
}

/** The split of the settings, as a plan. */
const defaultPlan = (): Pick<SplitPlan, "name" | "shares"> => {
  const receiver = setting("gift_receiver_percent") * 100;
  return {
    name: "Default",
    shares: [
      { to: "receiver", basis_points: receiver, asset: "coins" },
      { to: "house", basis_points: 10_000 - receiver, asset: "coins" },
    ],
  };
};

/** Returns the plans that hold now: the one of most gifts, and those of some gifts or countries. */
export function plansInForce() {
  const at = Date.parse(isoNow());
  const holding = splitPlans().filter((plan) => holdsAt(plan, at));
  const isSpecial = ({ gift_ids, category_ids, countries }: SplitPlan) =>
    gift_ids.length + category_ids.length + countries.length > 0;
  const general = holding.find((plan) => !isSpecial(plan));
  return {
    split_plan: general ?? {
      ...defaultPlan(),
      id: null,
      gift_ids: [],
      category_ids: [],
      countries: [],
      starts_at: null,
      ends_at: null,
    },
    special_split_plans: holding.filter(isSpecial),
  };
}
