import { DomainError } from "#shared/kernel/domain-error.ts";
import { type Asset, coins } from "./assets.ts";

export const insufficientBalance = (asset: Asset) =>
  asset === coins
    ? new DomainError("INSUFFICIENT_BALANCE")
    : new DomainError("INSUFFICIENT_BALANCE", "The {{asset}} balance is insufficient.", { values: { asset } });
