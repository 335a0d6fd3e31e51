import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, url } from "#shared/contracts/fields.ts";
import { type ManagedResource, position } from "../managed/managed-resource.ts";
import { StickerModel, StickerPackModel } from "./sticker.model.ts";

export const managedStickerPacks: ManagedResource = {
  resource: "sticker_packs",
  name: "sticker_pack",
  one: "a sticker pack",
  many: "sticker packs",
  model: StickerPackModel,
  fields: { name: line(1, 60, "Night owls"), image_url: url(), position: position() },
  defaults: { position: 0 },
  search: ["name"],
  sorts: ["position", "name", "created_at"],
  exampleId: exampleIds.stickerPack,
};

export const managedStickers: ManagedResource = {
  resource: "stickers",
  name: "sticker",
  one: "a sticker",
  many: "stickers",
  model: StickerModel,
  fields: {
    pack_id: id(exampleIds.stickerPack),
    name: line(1, 60, "Waving owl").description("What it shows, for those who can't see it."),
    image_url: url(),
    position: position(),
  },
  defaults: { position: 0 },
  search: ["name"],
  filters: { pack_id: id(exampleIds.stickerPack) },
  sorts: ["position", "name", "created_at"],
  exampleId: exampleIds.sticker,
};
