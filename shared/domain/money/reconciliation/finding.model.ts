import type { findingKinds, findingStatuses } from "#shared/contracts/views.ts";
import { bigint, date, defaulted, defineModel, nullable, text, uuid } from "#shared/db/model.ts";
import { managedColumns } from "#shared/domain/base/managed/managed-resource.ts";

/** A difference between our books and a provider's. */
export const FindingModel = defineModel("payment_findings", {
  ...managedColumns,
  provider: text(),
  day: date(),
  kind: text<(typeof findingKinds)[number]>(),
  subject: text<"payment" | "refund">(),
  provider_id: text(),
  order_id: nullable(uuid()),
  amount_here: nullable(bigint()),
  amount_there: nullable(bigint()),
  currency: nullable(text()),
  status: defaulted(text<(typeof findingStatuses)[number]>()),
});
