import { defaulted, defineModel, integer, text } from "#shared/db/model.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

export const GiftCategoryModel = defineModel("gift_categories", {
  ...managedColumns,
  ...retirable,
  name: text(),
  position: defaulted(integer()),
});
