import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { id, integer, line, nullable, oneOf, time } from "#shared/contracts/fields.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { AdjustmentModel } from "./adjustment.model.ts";

export const adjustmentMax = 1_000_000_000;

const statuses = ["pending", "approved", "declined", "expired"] as const;
export type AdjustmentStatus = (typeof statuses)[number];

export const adjustmentAmount = () =>
  integer(-adjustmentMax, adjustmentMax, 500).invalid(0).description("Coins. A negative number takes coins back.");
export const adjustmentReason = () =>
  line(1, 200, "Compensation for a failed event").description("Shown to the user in their transactions.");

/** The adjustments of balances, which are written by commands of their own. */
export const managedAdjustments: ManagedResource = {
  resource: "users",
  listed: { as: "adjustments", permission: "users.adjust_balance" },
  name: "adjustment",
  one: "a balance adjustment",
  many: "balance adjustments",
  model: AdjustmentModel,
  fields: {},
  defaults: {},
  shown: {
    user_id: id(exampleIds.ada),
    amount: adjustmentAmount(),
    reason: adjustmentReason(),
    status: oneOf(...statuses).example("approved"),
    requested_by: id(exampleIds.admin),
    decided_by: nullable(id(exampleIds.admin))
      .description("Null if no second administrator has decided.")
      .example(null),
    decided_at: nullable(time(exampleTime(exampleIds.adjustment))),
    expires_at: nullable(time(exampleTime(exampleIds.adjustment, 259_200)))
      .description("When it expires if it is still pending. Null if it needed no approval.")
      .example(null),
  },
  search: ["reason"],
  filters: { status: oneOf(...statuses), user_id: id(exampleIds.ada), requested_by: id(exampleIds.admin) },
  hasPeriod: true,
  sorts: ["-created_at", "amount"],
  exampleId: exampleIds.adjustment,
};
