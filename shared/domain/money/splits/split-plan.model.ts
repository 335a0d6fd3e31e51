import type { SplitShare } from "#shared/contracts/views.ts";
import { defaulted, defineModel, json, nullable, text, texts, time } from "#shared/db/model.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

/** Who gets which part of the price of gifts. */
export const SplitPlanModel = defineModel("split_plans", {
  ...managedColumns,
  ...retirable,
  name: text(),
  shares: json<readonly SplitShare[]>(),
  gift_ids: defaulted(texts()),
  category_ids: defaulted(texts()),
  countries: defaulted(texts()),
  starts_at: time(),
  ends_at: nullable(time()),
});
