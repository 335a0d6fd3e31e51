import { object, oneOf, optional, pageQuery } from "#shared/contracts/fields.ts";
import { ledgerTypes } from "#shared/contracts/views.ts";

export const entriesQuery = object({
  ...pageQuery,
  type: optional(
    oneOf(...ledgerTypes)
      .example("gift_sent")
      .description("Extension: returns only entries of this type."),
  ),
  direction: optional(
    oneOf("credit", "debit").example("debit").description("Extension: returns only credits or only debits."),
  ),
});
