import { bigint, defaulted, defineModel, integer, nullable, text } from "#shared/db/model.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

export const FrameModel = defineModel("frames", {
  ...managedColumns,
  ...retirable,
  name: text(),
  image_url: text(),
  price: bigint(),
  duration_days: nullable(integer()),
  position: defaulted(integer()),
});
