import { exampleIds } from "#shared/contracts/examples.ts";
import { id, nullable, oneOf } from "#shared/contracts/fields.ts";
import { storeNames, storePrices, storeProductId } from "#shared/contracts/views.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { StoreProductModel } from "./store-product.model.ts";

export const managedStoreProducts: ManagedResource = {
  resource: "store_products",
  name: "store_product",
  one: "a store product",
  many: "store products",
  model: StoreProductModel,
  fields: {
    store: oneOf(...storeNames),
    product_id: storeProductId(),
    coin_package_id: nullable(id(exampleIds.coinPackage)).description("What it buys, or `vip_plan_id`."),
    vip_plan_id: nullable(id(exampleIds.vipPlan)).description("What it buys, or `coin_package_id`.").example(null),
    prices: storePrices(),
  },
  check: ({ coin_package_id, vip_plan_id }) =>
    Boolean(coin_package_id) === Boolean(vip_plan_id)
      ? { field: "vip_plan_id", text: "{{field}} must be null if coin_package_id isn't, and the reverse" }
      : undefined,
  defaults: { coin_package_id: null, vip_plan_id: null, prices: [] },
  search: ["product_id"],
  filters: {
    store: oneOf(...storeNames),
    coin_package_id: id(exampleIds.coinPackage),
  },
  sorts: ["product_id", "created_at"],
  exampleId: exampleIds.storeProduct,
};
