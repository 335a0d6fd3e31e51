import { bigint, code, defaulted, defineModel, flag, integer, nullable, text, texts } from "#shared/db/model.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

export const VipPlanModel = defineModel("vip_plans", {
  ...managedColumns,
  ...retirable,
  name: text(),
  price: bigint(),
  currency: code(3),
  duration_days: integer(),
  renews: defaulted(flag()),
  benefits: defaulted(texts()),
  badge_url: nullable(text()),
  position: defaulted(integer()),
});
