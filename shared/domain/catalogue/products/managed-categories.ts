import { line, oneOf } from "#shared/contracts/fields.ts";
import { queryOne } from "#shared/db/query.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { CategoryModel } from "./catalogue.models.ts";
import type { Values } from "./managed-fields.ts";

/** The type of a category that has products is that of its products. */
async function wrongType({ id, type }: Values) {
  if (id === undefined) return undefined;
  const table = type === "card" ? "catalogue_top_ups" : "catalogue_cards";
  const product = await queryOne(`SELECT 1 FROM ${table} WHERE category_id = $1 LIMIT 1`, [id]);
  return product && { field: "type", text: "type can't change while the category has products" };
}

export const managedCategories: ManagedResource = {
  resource: "catalogue_categories",
  path: "/catalogue/categories",
  name: "catalogue_category",
  one: "a catalogue category",
  many: "catalogue categories",
  model: CategoryModel,
  fields: {
    name: line(1, 60, "Strategy games"),
    icon: line(1, 60, "fa-solid fa-chess").description("The class name of its icon."),
    type: oneOf("top_up", "card"),
  },
  defaults: {},
  check: wrongType,
  search: ["name"],
  filters: { type: oneOf("top_up", "card") },
  sorts: ["id", "name", "created_at"],
  exampleId: 1,
};
