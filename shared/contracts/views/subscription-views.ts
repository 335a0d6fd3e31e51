import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { flag, type Infer, id, nullable, object, oneOf, time, url } from "#shared/contracts/fields.ts";

/** VIP that renews, at a store or at Stripe. */

export const subscriptionStatuses = ["active", "grace", "retry", "paused", "canceled", "expired", "revoked"] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];
export const subscriptionProviders = ["apple", "google", "stripe"] as const;

const created = exampleIds.subscription;

export const subscription = object({
  id: id(created),
  provider: oneOf(...subscriptionProviders),
  plan_id: id(exampleIds.vipPlan),
  status: oneOf(...subscriptionStatuses).description(
    "`grace`: the payment failed, and you keep your VIP until `grace_until`. `retry`: it failed, and VIP is suspended. `canceled`: VIP lasts until the end of the period, and isn't renewed. `revoked`: the store took it back.",
  ),
  auto_renew: flag(),
  current_period_starts_at: time(exampleTime(created)),
  current_period_ends_at: time(exampleTime(created, 2_592_000)),
  grace_until: nullable(time(exampleTime(created, 3_110_400))).example(null),
  pending_plan_id: nullable(id(exampleIds.vipPlan))
    .description("The plan of the next period, if it differs.")
    .example(null),
  price_consent: nullable(oneOf("pending", "agreed"))
    .description("Whether you have agreed to the next period's higher price. Null: it isn't asked.")
    .example(null),
  created_at: time(exampleTime(created)),
}).meta({ name: "Subscription" });
export const canceledSubscription = object({
  manage_url: nullable(url("https://apps.apple.com/account/subscriptions")).description(
    "The store's page where you cancel it yourself. Null: it is canceled.",
  ),
}).meta({ name: "CanceledSubscription" });
export type CanceledSubscription = Infer<typeof canceledSubscription>;
export type Subscription = Infer<typeof subscription>;
