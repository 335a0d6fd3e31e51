import { defaulted, defineModel, integer, text, uuid } from "#shared/db/model.ts";
import { managedColumns, retirable } from "../managed/managed-resource.ts";

export const StickerPackModel = defineModel("sticker_packs", {
  ...managedColumns,
  ...retirable,
  name: text(),
  image_url: text(),
  position: defaulted(integer()),
});

export const StickerModel = defineModel("stickers", {
  ...managedColumns,
  ...retirable,
  pack_id: uuid(),
  name: text(),
  image_url: text(),
  position: defaulted(integer()),
});
