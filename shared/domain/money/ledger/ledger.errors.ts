import { DomainError } from "#shared/kernel/domain-error.ts";
import { type Asset, coins, stock } from "./assets.ts";

export function insufficientBalance(asset: Asset): DomainError {
  if (asset === coins) return new DomainError("INSUFFICIENT_BALANCE");
  if (asset === stock) return new DomainError("INSUFFICIENT_BALANCE", "The stock is insufficient.");
  return new DomainError("INSUFFICIENT_BALANCE", "The {{asset}} balance is insufficient.", { values: { asset } });
}
