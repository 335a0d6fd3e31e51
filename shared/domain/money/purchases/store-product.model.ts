import type { StoreName, StorePrice } from "#shared/contracts/views.ts";
import { defaulted, defineModel, json, nullable, text, uuid } from "#shared/db/model.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

/** A product that apps buy at their store. */
export const StoreProductModel = defineModel("store_products", {
  ...managedColumns,
  ...retirable,
  store: text<StoreName>(),
  product_id: text(),
  coin_package_id: nullable(uuid()),
  vip_plan_id: nullable(uuid()),
  prices: defaulted(json<readonly StorePrice[]>()),
});
