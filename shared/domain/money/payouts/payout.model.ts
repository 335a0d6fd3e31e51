import type {
  PayoutField,
  PayoutProviderName,
  PayoutStatus,
  payoutFlags,
  payoutKinds,
} from "#shared/contracts/views.ts";
import {
  bigint,
  defaulted,
  defineModel,
  integer,
  key,
  nullable,
  type RowOf,
  small,
  text,
  texts,
  time,
  uuid,
} from "#shared/db/model.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

type Kind = (typeof payoutKinds)[number];

/** How users can be paid. */
export const PayoutMethodModel = defineModel("payout_methods", {
  ...managedColumns,
  ...retirable,
  name: text(),
  kind: text<Kind>(),
  countries: defaulted(texts()),
  fields: texts<readonly PayoutField[]>(),
  provider: text<PayoutProviderName>(),
  currency: text(),
  rate: bigint(),
  fee_fixed: defaulted(bigint()),
  fee_basis_points: defaulted(integer()),
  min: defaulted(bigint()),
  daily_max: defaulted(bigint()),
  monthly_max: defaulted(bigint()),
  zone: defaulted(text()),
  kyc_level: defaulted(small()),
});

export const PayoutModel = defineModel("payouts", {
  id: key(uuid()),
  user_id: uuid(),
  method_id: uuid(),
  kind: text<Kind>(),
  provider: text<PayoutProviderName>(),
  status: defaulted(text<PayoutStatus>()),
  amount: bigint(),
  currency: text(),
  rate: bigint(),
  fee: bigint(),
  net: bigint(),
  shown: text(),
  details_sealed: nullable(text()),
  account_ref: nullable(text()),
  provider_id: nullable(text()),
  reference: nullable(text()),
  failure: nullable(text()),
  flag: nullable(text<(typeof payoutFlags)[number]>()),
  batch_id: nullable(uuid()),
  first_approved_by: nullable(uuid()),
  approved_by: nullable(uuid()),
  resolved_by: nullable(uuid()),
  attempted_at: nullable(time()),
  tries: defaulted(integer()),
  next_try_at: nullable(time()),
  approved_at: nullable(time()),
  sent_at: nullable(time()),
  ended_at: nullable(time()),
  created_at: defaulted(time()),
});
export type PayoutRow = RowOf<typeof PayoutModel>;

/** Batches of payouts for a bank. */
export const PayoutBatchModel = defineModel("payout_batches", {
  id: key(uuid()),
  currency: text(),
  payouts: integer(),
  net: bigint(),
  created_by: uuid(),
  created_at: defaulted(time()),
});
