import { exampleIds } from "#shared/contracts/examples.ts";
import { integer, line } from "#shared/contracts/fields.ts";
import { currency, money } from "#shared/contracts/views.ts";
import { type ManagedResource, position } from "#shared/domain/base/managed/managed-resource.ts";
import { CoinPackageModel } from "./coin-package.model.ts";
import { wrongPriceFor } from "./payments.config.ts";

export const managedCoinPackages: ManagedResource = {
  resource: "coin_packages",
  name: "coin_package",
  one: "a coin package",
  many: "coin packages",
  model: CoinPackageModel,
  fields: {
    name: line(1, 60, "Pouch"),
    coins: integer(1, 1_000_000_000, 550),
    bonus_coins: integer(0, 1_000_000_000, 50).description("Coins credited in addition to `coins`."),
    price: money(),
    currency: currency(),
    position: position(),
  },
  check: wrongPriceFor,
  defaults: { bonus_coins: 0, position: 0 },
  search: ["name"],
  filters: { currency: currency() },
  sorts: ["position", "name", "price", "coins", "created_at"],
  exampleId: exampleIds.coinPackage,
};
