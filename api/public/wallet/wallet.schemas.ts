import { coins, object, oneOf, optional, pageQuery } from "#shared/contracts/fields.ts";
import { ledgerTypes } from "#shared/contracts/views.ts";

export const wallet = object({ balance: coins(400) }).meta({ name: "Wallet" });

export const entriesQuery = object({
  ...pageQuery,
  type: optional(oneOf(...ledgerTypes).description("Extension: only entries of this type.")),
  direction: optional(oneOf("credit", "debit").description("Extension: only coins that came in, or that went out.")),
});
