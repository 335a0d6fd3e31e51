import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import {
  cursorPageOf,
  cursorQuery,
  id,
  keysOf,
  object,
  oneOf,
  optional,
  plainTime,
  withDefault,
} from "#shared/contracts/fields.ts";
import { houseAccounts, ledgerRecord, ledgerTypes } from "#shared/contracts/views.ts";
import { causes } from "#shared/domain/money/ledger/causes.ts";
import { listLedger, readLedger } from "#shared/domain/money/ledger/ledger-records.queries.ts";
import { type AdminRoute, adminRead } from "../../../http/admin-route.ts";
import { whileActive } from "../../list-route.ts";

const ledgerQuery = object({
  ...cursorQuery,
  user_id: optional(id(exampleIds.ada)),
  house: optional(oneOf(...houseAccounts).description("An account of the house.")),
  asset: withDefault(oneOf("coins", "earnings"), "coins"),
  type: optional(oneOf(...ledgerTypes)),
  direction: optional(oneOf("credit", "debit")),
  transaction_id: optional(id(exampleIds.ledgerEntry)),
  reference_type: optional(
    Joi.string()
      .valid(...Object.keys(causes))
      .example("gift_transaction"),
  ),
  reference_id: optional(id(exampleIds.giftTransaction)),
  from: optional(plainTime("2026-01-01T00:00:00.000Z")),
  to: optional(plainTime("2026-02-01T00:00:00.000Z").description("Exclusive.")),
  format: withDefault(oneOf("json", "csv").description("`csv` downloads the whole list."), "json"),
});

export const transactionsRoutes = (): AdminRoute[] => [
  adminRead({
    tag: "Transactions",
    id: "listTransactions",
    method: "get",
    path: "/transactions",
    summary: "List ledger entries",
    description:
      "Returns the entries of all wallets and of the house, of coins or earnings, newest first, as a cursor list without a total.",
    permission: "transactions.read",
    query: ledgerQuery,
    response: cursorPageOf(ledgerRecord),
    csv: {
      fileName: "transactions",
      columns: keysOf(ledgerRecord),
      rows: ({ caller, query: { before, limit, format, ...filter } }) => whileActive(caller, readLedger(filter)),
    },
    handler: ({ query: { before, limit, format, ...filter } }) =>
      listLedger(filter, { limit, ...(before !== undefined && { before }) }),
  }),
];
