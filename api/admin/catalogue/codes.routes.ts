import Joi from "joi";
import { codeImport, codeStock } from "#shared/contracts/catalogue-admin-views.ts";
import { object, optional, pageOf, pageQuery } from "#shared/contracts/fields.ts";
import { importCodes, importLinesMax } from "#shared/domain/catalogue/codes/import-codes.ts";
import { listStock } from "#shared/domain/catalogue/orders/order-records.queries.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../http/admin-route.ts";
import { csvReader } from "../../http/read-body.ts";
import { idParams, numberId } from "./catalogue.schemas.ts";

const tag = "Catalogue";
const fileMax = "1mb";

/** The stock of codes of gift cards. No operation shows a code. */
export const codesRoutes = (): AdminRoute[] => [
  adminRead({
    tag,
    id: "listCodeStock",
    method: "get",
    path: "/catalogue/code-stock",
    summary: "List the stock of codes",
    description: "Lists the services of cards, with the number of codes that are left.",
    permission: "catalogue_codes.read",
    query: object({
      ...pageQuery,
      card_id: optional(numberId()),
      low: optional(Joi.boolean().description("`true`: only services with few codes.").example(true)),
    }),
    response: pageOf(codeStock),
    handler: ({ query: { page, limit, ...filter } }) => listStock(filter, { page, limit }),
  }),
  adminWrite({
    tag,
    id: "importCodes",
    method: "post",
    path: "/catalogue/card-services/:id/codes",
    summary: "Import codes",
    description: `Adds the codes of a CSV file to the stock of a card's service: one column, with or without the header \`code\`, at most ${importLinesMax} lines and ${fileMax}. The report says what became of each line, without the codes. They are stored encrypted. A file can be imported again: its codes are duplicates then.`,
    permission: "catalogue_codes.write",
    params: idParams,
    rawBody: {
      read: csvReader(fileMax),
      schema: Joi.string().example("code\nABCD-EFGH-1234\nABCD-EFGH-1235\n"),
      contentTypes: ["text/csv"],
    },
    response: codeImport,
    audit: {
      action: "catalogue_codes.import",
      target: ({ params }) => ({ type: "catalogue_card_service", id: String(params.id) }),
    },
    handler: ({ caller, params, body }) => importCodes(caller, params.id, body),
  }),
];
