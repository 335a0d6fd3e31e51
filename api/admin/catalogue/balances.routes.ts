import {
  adjustmentStatus,
  balanceItem,
  balanceRecord,
  type MoneyAdjustment,
  moneyAdjustment,
  movementRecord,
  signedDecimal,
} from "#shared/contracts/catalogue-balance-admin-views.ts";
import { currencyCode } from "#shared/contracts/catalogue-balance-views.ts";
import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, object, pageOf, pageQuery } from "#shared/contracts/fields.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import {
  getBalanceRecord,
  listBalanceRecords,
  listMovementRecords,
  readBalanceRecords,
} from "#shared/domain/catalogue/balances/balance-records.queries.ts";
import {
  adjustMoney,
  adjustmentLifeHours,
  approveMoneyAdjustment,
  declineMoneyAdjustment,
} from "#shared/domain/operations/adjustments/adjust-balance.ts";
import {
  listMoneyAdjustments,
  readMoneyAdjustments,
} from "#shared/domain/operations/adjustments/money-adjustments.queries.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../http/admin-route.ts";
import { listRoute } from "../list-route.ts";

const tag = "Catalogue";
const permission = "catalogue_balances.read";
const balanceParams = object({ id: id(exampleIds.ledgerEntry) });
const adjustmentParams = object({ id: id(exampleIds.adjustment) });

const decision = (
  verb: "approve" | "decline",
  description: string,
  command: (caller: AdminPrincipal, id: string) => Promise<MoneyAdjustment>,
): AdminRoute =>
  adminWrite({
    tag,
    id: `${verb}MoneyAdjustment`,
    method: "post",
    path: `/catalogue/balance-adjustments/:id/${verb}`,
    summary: `${verb === "approve" ? "Approve" : "Decline"} an adjustment of money`,
    description,
    permission: "catalogue_balances.write",
    params: adjustmentParams,
    response: moneyAdjustment,
    errors: verb === "approve" ? ["CONFLICT", "INSUFFICIENT_BALANCE"] : ["CONFLICT"],
    audit: {
      action: `catalogue_balance_adjustment.${verb}`,
      target: (call) => ({ type: "catalogue_balance_adjustment", id: call.params.id }),
    },
    handler: (call) => command(call.caller, call.params.id),
  });

export const catalogueBalancesRoutes = (): AdminRoute[] => [
  listRoute({
    tag,
    id: "listCatalogueBalances",
    path: "/catalogue/balances",
    summary: "List prepaid balances",
    description: "Lists the balances of resellers: one for each currency that a reseller had money in.",
    permission,
    filters: { user_id: id(exampleIds.ada), currency: currencyCode() },
    sorts: ["-created_at"],
    item: balanceItem,
    list: listBalanceRecords,
    download: {
      fileName: "catalogue-balances",
      columns: ["id", "user_id", "currency", "balance", "movements", "created_at"],
      read: readBalanceRecords,
    },
  }),
  adminRead({
    tag,
    id: "getCatalogueBalance",
    method: "get",
    path: "/catalogue/balances/:id",
    summary: "Get a prepaid balance",
    permission,
    params: balanceParams,
    response: balanceRecord,
    handler: ({ params }) => getBalanceRecord(params.id),
  }),
  adminRead({
    tag,
    id: "listCatalogueBalanceMovements",
    method: "get",
    path: "/catalogue/balances/:id/movements",
    summary: "List a balance's entries",
    permission,
    params: balanceParams,
    query: object({ ...pageQuery }),
    response: pageOf(movementRecord),
    handler: ({ params, query }) => listMovementRecords(params.id, query),
  }),
  adminWrite({
    tag,
    id: "adjustCatalogueBalance",
    method: "post",
    path: "/catalogue/balances/adjust",
    summary: "Adjust a prepaid balance",
    description: `Gives money to a reseller or takes it back; a balance never falls below 0. If what you have adjusted in this currency in the last 24 hours exceeds the setting \`catalogue_adjustment_approval_above\`, the adjustment is \`pending\`: another administrator must approve it within ${adjustmentLifeHours} hours. The balance of a deleted account can only be reduced: book what you paid out by other means.`,
    permission: "catalogue_balances.write",
    idempotent: true,
    body: object({
      user_id: id(exampleIds.ada),
      currency: currencyCode(),
      amount: signedDecimal("25.00"),
      reason: line(1, 200, "Compensation for a failed order").description(
        "Shown to the reseller in their balance's entries.",
      ),
    }).meta({ name: "AdjustCatalogueBalanceBody" }),
    response: moneyAdjustment,
    errors: ["INSUFFICIENT_BALANCE", "NOT_FOUND"],
    audit: { action: "catalogue_balance.adjust", target: (call) => ({ type: "user", id: call.body.user_id }) },
    handler: ({ caller, body, idempotency }) => adjustMoney(caller, body, idempotency),
  }),
  listRoute({
    tag,
    id: "listMoneyAdjustments",
    path: "/catalogue/balance-adjustments",
    summary: "List adjustments of money",
    permission,
    filters: {
      user_id: id(exampleIds.ada),
      currency: currencyCode(),
      status: adjustmentStatus(),
      requested_by: id(exampleIds.admin),
    },
    sorts: ["-created_at"],
    item: moneyAdjustment,
    list: listMoneyAdjustments,
    download: {
      fileName: "catalogue-balance-adjustments",
      columns: ["id", "user_id", "currency", "amount", "reason", "status", "requested_by", "decided_by", "created_at"],
      read: readMoneyAdjustments,
    },
  }),
  decision("approve", "You can't approve an adjustment that you asked for.", approveMoneyAdjustment),
  decision("decline", "You can take back your own adjustment in this way.", declineMoneyAdjustment),
];
