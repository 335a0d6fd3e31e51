import { coins, input, oneOf, pageQuery, view } from "#shared/contracts/fields.ts";
import { ledgerTypes } from "#shared/contracts/views.ts";
import type { EntryFilter } from "#shared/domain/ledger/ledger.queries.ts";

export const wallet = view({ balance: coins(400) }).meta({ name: "Wallet" });

export const entriesQuery = input<EntryFilter>({
  ...pageQuery,
  type: oneOf(...ledgerTypes).description("Extension: only entries of this type."),
  direction: oneOf("credit", "debit").description("Extension: only coins that came in, or that went out."),
});
