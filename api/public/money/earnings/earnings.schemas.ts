import { integer, object, oneOf, optional, pageQuery } from "#shared/contracts/fields.ts";
import { earningsTypes } from "#shared/contracts/views.ts";

export const earningsQuery = object({
  ...pageQuery,
  type: optional(oneOf(...earningsTypes)),
  direction: optional(oneOf("credit", "debit")),
});

export const exchangeBody = object({
  amount: integer(1, 900_000_000_000, 500).description("Earnings to exchange."),
}).meta({ name: "ExchangeEarningsBody" });
