import { bigint, code, defaulted, defineModel, integer, text } from "#shared/db/model.ts";
import { managedColumns, retirable } from "#shared/domain/base/managed/managed-resource.ts";

export const CoinPackageModel = defineModel("coin_packages", {
  ...managedColumns,
  ...retirable,
  name: text(),
  coins: bigint(),
  bonus_coins: defaulted(bigint()),
  price: bigint(),
  currency: code(3),
  position: defaulted(integer()),
});
