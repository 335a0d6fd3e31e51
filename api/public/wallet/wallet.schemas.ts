import { object, oneOf, optional, pageQuery } from "#shared/contracts/fields.ts";
import { ledgerTypes } from "#shared/contracts/views.ts";

export const entriesQuery = object({
  ...pageQuery,
  type: optional(
    oneOf(...ledgerTypes)
      .example("gift_sent")
      .description("An extension: only entries of this type."),
  ),
  direction: optional(
    oneOf("credit", "debit").example("debit").description("An extension: only credits, or only debits."),
  ),
});
