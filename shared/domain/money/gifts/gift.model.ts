import { bigint, defaulted, defineModel, integer, nullable, text, uuid } from "#shared/db/model.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

export const GiftModel = defineModel("gifts", {
  ...managedColumns,
  ...retirable,
  category_id: uuid(),
  name: text(),
  image_url: text(),
  animation_url: nullable(text()),
  price: bigint(),
  position: defaulted(integer()),
});
