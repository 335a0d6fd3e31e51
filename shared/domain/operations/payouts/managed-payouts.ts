import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { count, id, integer, nullable, oneOf, time } from "#shared/contracts/fields.ts";
import {
  currency,
  money,
  payoutFieldsShown,
  payoutFlags,
  payoutKinds,
  payoutProviders,
  payoutStatuses,
} from "#shared/contracts/views.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { PayoutBatchModel, PayoutModel } from "#shared/domain/money/payouts/payout.model.ts";

/** The payouts of all users, as administrators list them. */
export const managedPayouts: ManagedResource = {
  resource: "payouts",
  name: "payout",
  one: "a payout",
  many: "payouts",
  model: PayoutModel,
  fields: {},
  defaults: {},
  shown: {
    user_id: id(exampleIds.ada),
    ...payoutFieldsShown,
    rate: integer(1, 1_000_000_000, 10_000),
    method_id: id(exampleIds.payoutMethod),
    provider: oneOf(...payoutProviders).example("razorpayx"),
    provider_id: nullable(Joi.string().example("pout_00000000000001")),
    flag: nullable(oneOf(...payoutFlags))
      .example(null)
      .description(
        "`amount`: another amount was paid. `second`: it was paid twice. `rejected_late`: rejected, although an earlier attempt may have paid. `paid_after_return`: paid, although the user has the earnings again.",
      ),
    batch_id: nullable(id(exampleIds.payoutBatch)).example(null),
    first_approved_by: nullable(id(exampleIds.admin)),
    approved_by: nullable(id(exampleIds.admin)),
    resolved_by: nullable(id(exampleIds.admin)).example(null),
    tries: count(1),
    attempted_at: nullable(time(exampleTime(exampleIds.payout, 3650))),
  },
  search: [],
  filters: {
    status: oneOf(...payoutStatuses),
    user_id: id(exampleIds.ada),
    provider: oneOf(...payoutProviders),
    kind: oneOf(...payoutKinds),
    flag: oneOf(...payoutFlags),
    batch_id: id(exampleIds.payoutBatch),
    provider_id: Joi.string().max(100).example("pout_00000000000001"),
  },
  hasPeriod: true,
  sorts: ["-created_at", "amount"],
  exampleId: exampleIds.payout,
};

/** The batches that administrators have made for a bank. */
export const managedPayoutBatches: ManagedResource = {
  resource: "payouts",
  listed: { as: "payout_batches", permission: "payouts.read" },
  name: "payout_batch",
  one: "a payout batch",
  many: "batches of payouts",
  model: PayoutBatchModel,
  fields: {},
  defaults: {},
  shown: { currency: currency(), payouts: count(12), net: money(594_000), created_by: id(exampleIds.admin) },
  search: [],
  filters: { currency: currency() },
  hasPeriod: true,
  sorts: ["-created_at"],
  exampleId: exampleIds.payoutBatch,
};
