import { exampleIds } from "#shared/contracts/examples.ts";
import { id, object } from "#shared/contracts/fields.ts";
import type { ManagedRecord } from "#shared/domain/base/managed/managed-resource.ts";
import {
  adjustBalance,
  adjustmentLifeHours,
  approveAdjustment,
  declineAdjustment,
} from "#shared/domain/operations/adjustments/adjust-balance.ts";
import {
  adjustmentAmount,
  adjustmentReason,
  managedAdjustments,
} from "#shared/domain/operations/adjustments/managed-adjustments.ts";
import { type AdminRoute, adminWrite } from "../../../http/admin-route.ts";
import { managedReads, managedRecord } from "../../managed-routes.ts";

const tag = "Balances";
const adjustment = managedRecord(managedAdjustments);
const params = object({ id: id(exampleIds.adjustment) });

const decision = (
  verb: "approve" | "decline",
  description: string,
  command: (caller: Parameters<typeof approveAdjustment>[0], id: string) => Promise<ManagedRecord>,
): AdminRoute =>
  adminWrite({
    tag,
    id: `${verb}Adjustment`,
    method: "post",
    path: `/adjustments/:id/${verb}`,
    summary: `${verb === "approve" ? "Approve" : "Decline"} a balance adjustment`,
    description,
    extension: true,
    permission: "users.adjust_balance",
    params,
    response: adjustment,
    errors: verb === "approve" ? ["CONFLICT", "INSUFFICIENT_BALANCE"] : ["CONFLICT"],
    audit: { action: `adjustment.${verb}`, target: (call) => ({ type: "adjustment", id: call.params.id }) },
    handler: (call) => command(call.caller, call.params.id),
  });

export const adjustmentsRoutes = (): AdminRoute[] => [
  adminWrite({
    tag,
    id: "adjustBalance",
    method: "post",
    path: "/users/:id/adjust-balance",
    summary: "Adjust a user's balance",
    description: `Gives coins to the user or takes them back; a balance never falls below 0. If the coins that you gave and took back without an approval in the last 24 hours, over all users, exceed the setting \`adjustment_approval_above\` with this adjustment, it is \`pending\`: another administrator must approve it within ${adjustmentLifeHours} hours.`,
    permission: "users.adjust_balance",
    idempotent: true,
    params: object({ id: id(exampleIds.ada) }),
    body: object({ amount: adjustmentAmount(), reason: adjustmentReason() }).meta({ name: "AdjustBalanceBody" }),
    response: adjustment,
    errors: ["INSUFFICIENT_BALANCE"],
    audit: { action: "user.adjust_balance", target: (call) => ({ type: "user", id: call.params.id }) },
    handler: ({ caller, params: { id }, body, idempotency }) => adjustBalance(caller, id, body, idempotency),
  }),
  ...managedReads(managedAdjustments, tag),
  decision(
    "approve",
    "You can't approve your own adjustment. The requester and the approver must be independent: neither may have created the other's account, or set its password or role, directly or through other accounts.",
    approveAdjustment,
  ),
  decision("decline", "You can take back your own adjustment in this way.", declineAdjustment),
];
