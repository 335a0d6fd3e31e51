import { exampleIds } from "#shared/contracts/examples.ts";
import { type Infer, id, line, listOf, object, url } from "#shared/contracts/fields.ts";

export const sticker = object({
  id: id(exampleIds.sticker),
  name: line(1, 60, "Waving owl").description("What it shows, for those who can't see it."),
  image_url: url(),
}).meta({ name: "Sticker" });
export type Sticker = Infer<typeof sticker>;

export const stickerPack = object({
  id: id(exampleIds.stickerPack),
  name: line(1, 60, "Night owls"),
  image_url: url(),
  stickers: listOf(sticker),
}).meta({ name: "StickerPack" });
export type StickerPack = Infer<typeof stickerPack>;
