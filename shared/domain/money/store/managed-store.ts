import { exampleIds } from "#shared/contracts/examples.ts";
import { flag, integer, line, listOf, nullable, text, url } from "#shared/contracts/fields.ts";
import { currency, money } from "#shared/contracts/views.ts";
import { type ManagedResource, position } from "#shared/domain/base/managed/managed-resource.ts";
import { wrongPriceFor } from "#shared/domain/money/payments/payments.config.ts";
import type { FieldText } from "#shared/kernel/domain-error.ts";
import { FrameModel } from "./frame.model.ts";
import { VipPlanModel } from "./vip-plan.model.ts";

const benefitsMax = 20;
/** Stripe renews at least every three years. */
const renewedDaysMax = 1092;

const wrongRenewalOf = ({ renews, duration_days }: Readonly<Record<string, unknown>>): FieldText | undefined =>
  renews === true && Number(duration_days) > renewedDaysMax
    ? {
        field: "duration_days",
        text: "{{field}} must be at most {{max}} for a plan that renews",
        values: { max: renewedDaysMax },
      }
    : undefined;

export const managedFrames: ManagedResource = {
  resource: "frames",
  name: "frame",
  one: "a frame",
  many: "frames",
  model: FrameModel,
  fields: {
    name: line(1, 60, "Aurora"),
    image_url: url("https://cdn.example.com/frames/aurora.png"),
    price: integer(1, 1_000_000_000, 300).description("Coins."),
    duration_days: nullable(integer(1, 3660, 30)).description("How long a purchase lasts, in days. Null: permanently."),
    position: position(),
  },
  defaults: { duration_days: null, position: 0 },
  search: ["name"],
  sorts: ["position", "name", "price", "created_at"],
  exampleId: exampleIds.frame,
};

export const managedVipPlans: ManagedResource = {
  resource: "vip_plans",
  name: "vip_plan",
  one: "a VIP plan",
  many: "VIP plans",
  model: VipPlanModel,
  fields: {
    name: line(1, 60, "Gold"),
    price: money(29_900),
    currency: currency(),
    duration_days: integer(1, 3660, 30),
    renews: flag().description(
      "Whether an order of it starts a subscription, which pays for a period after another until it is canceled: at Stripe. Elsewhere an order pays for one period.",
    ),
    benefits: listOf(text(1, 200, "A golden badge on your card")).max(benefitsMax),
    badge_url: nullable(url("https://cdn.example.com/badges/gold.png")),
    position: position(),
  },
  check: (values) => wrongPriceFor(values) ?? wrongRenewalOf(values),
  defaults: { renews: false, benefits: [], badge_url: null, position: 0 },
  search: ["name"],
  filters: { currency: currency() },
  sorts: ["position", "name", "price", "duration_days", "created_at"],
  exampleId: exampleIds.vipPlan,
};
