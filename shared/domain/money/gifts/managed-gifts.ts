import { exampleIds } from "#shared/contracts/examples.ts";
import { id, integer, line, nullable, url } from "#shared/contracts/fields.ts";
import { type ManagedResource, position } from "#shared/domain/base/managed/managed-resource.ts";
import { GiftModel } from "./gift.model.ts";
import { GiftCategoryModel } from "./gift-category.model.ts";

export const managedGifts: ManagedResource = {
  resource: "gifts",
  name: "gift",
  one: "a gift",
  many: "gifts",
  model: GiftModel,
  fields: {
    category_id: id(exampleIds.giftCategory),
    name: line(1, 60, "Rose"),
    image_url: url(),
    animation_url: nullable(url("https://cdn.example.com/a.json")),
    price: integer(1, 1_000_000_000, 10).description("Coins."),
    position: position(),
  },
  defaults: { animation_url: null, position: 0 },
  search: ["name"],
  filters: { category_id: id(exampleIds.giftCategory) },
  sorts: ["position", "name", "price", "created_at"],
  exampleId: exampleIds.gift,
};

export const managedGiftCategories: ManagedResource = {
  resource: "gift_categories",
  name: "gift_category",
  one: "a gift category",
  many: "gift categories",
  model: GiftCategoryModel,
  fields: { name: line(1, 60, "Classic"), position: position() },
  defaults: { position: 0 },
  search: ["name"],
  sorts: ["position", "name", "created_at"],
  exampleId: exampleIds.giftCategory,
};
