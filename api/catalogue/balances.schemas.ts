import Joi from "joi";
import { currencyCode } from "#shared/contracts/catalogue-balance-views.ts";
import { formDecimal } from "#shared/contracts/catalogue-fields.ts";
import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, object, oneOf, optional, timeZone, withDefault } from "#shared/contracts/fields.ts";
import { pageQuery } from "./catalogue.schemas.ts";

export const movementsQuery = pageQuery.append<{ page: number; currency: string }>({
  currency: currencyCode().required(),
});

export const depositParams = object({ id: id(exampleIds.depositOrder) });

export const orderDepositBody = object({
  amount: formDecimal("50.00", "More than 0."),
  currency: currencyCode(),
  idempotency_key: optional(line(1, 255, "deposit-1001").description("Like the header `Idempotency-Key`.")),
}).meta({ name: "OrderDepositBody" });

export const statementQuery = object({
  month: Joi.string()
    .pattern(/^2\d{3}-(0[1-9]|1[0-2])$/, "a month such as 2026-01")
    .example("2026-01"),
  time_zone: timeZone("months"),
  format: withDefault(oneOf("json", "csv").description("`csv` downloads every movement."), "json"),
});
