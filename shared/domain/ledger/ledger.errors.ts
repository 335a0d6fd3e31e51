import { DomainError } from "#shared/kernel/domain-error.ts";
import { type Asset, coins } from "./assets.ts";

export const insufficientBalance = (asset: Asset) =>
  new DomainError("INSUFFICIENT_BALANCE", asset === coins ? undefined : `The ${asset} balance is insufficient.`);
