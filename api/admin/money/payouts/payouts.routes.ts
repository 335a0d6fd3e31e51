import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, listOf, object, oneOf, optional, withDefault } from "#shared/contracts/fields.ts";
import { currency, payoutFileLine } from "#shared/contracts/views.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import {
  batchMax,
  createBatch,
  fileColumns,
  listBatch,
  readBatch,
  recordOutcomes,
} from "#shared/domain/operations/payouts/bank-batches.ts";
import { approvePayout, declinePayout, resolvePayout } from "#shared/domain/operations/payouts/decide-payout.ts";
import { managedPayoutBatches, managedPayouts } from "#shared/domain/operations/payouts/managed-payouts.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { csvReader } from "../../../http/read-body.ts";
import { whileActive } from "../../list-route.ts";
import { managedReads, managedRecord } from "../../managed-routes.ts";

const tag = "Payouts";
const record = managedRecord(managedPayouts);
const batch = managedRecord(managedPayoutBatches);
const params = object({ id: id(exampleIds.payout) });
const batchParams = object({ id: id(exampleIds.payoutBatch) });
const reason = () => line(1, 200, "The name of the account differs").description("The user sees it.");
const outcome = () => oneOf("settled", "returned");
const common = { tag, permission: "payouts.write" } as const;
const extension = true;
const auditOf = (verb: string) => ({
  action: `payout.${verb}`,
  target: (call: { params: { id: string } }) => ({ type: "payout", id: call.params.id }),
});

const afterwards = async (work: Promise<void>, payoutId: string) => {
  await work;
  return getManaged(managedPayouts, payoutId);
};

export const payoutsRoutes = (): AdminRoute[] => [
  ...managedReads(managedPayouts, tag),
  adminWrite({
    ...common,
    id: "approvePayout",
    method: "post",
    path: "/payouts/:id/approve",
    summary: "Approve a payout",
    description:
      "If the user is paid more than `payout_approval_above` in 24 hours, it stays `requested` until a second, independent administrator approves it, too.",
    params,
    response: record,
    errors: ["CONFLICT", "KYC_REQUIRED"],
    audit: auditOf("approve"),
    handler: (call) => afterwards(approvePayout(call.caller, call.params.id), call.params.id),
  }),
  adminWrite({
    ...common,
    id: "declinePayout",
    extension,
    method: "post",
    path: "/payouts/:id/decline",
    summary: "Decline a payout",
    description: "The user has the earnings again.",
    params,
    body: object({ reason: reason() }).meta({ name: "DeclinePayoutBody" }),
    response: record,
    errors: ["CONFLICT"],
    audit: auditOf("decline"),
    handler: (call) => afterwards(declinePayout(call.caller, call.params.id, call.body.reason), call.params.id),
  }),
  adminWrite({
    ...common,
    id: "resolvePayout",
    extension,
    method: "post",
    path: "/payouts/:id/resolve",
    summary: "Resolve a payout",
    description: "Says what became of a payout at the bank: only after you have seen it in the books of the bank.",
    params,
    body: object({ status: outcome(), reason: reason() }).meta({ name: "ResolvePayoutBody" }),
    response: record,
    errors: ["CONFLICT"],
    audit: auditOf("resolve"),
    handler: (call) => afterwards(resolvePayout(call.caller, call.params.id, call.body), call.params.id),
  }),
  ...managedReads(managedPayoutBatches, tag),
  adminWrite({
    ...common,
    id: "createPayoutBatch",
    extension,
    method: "post",
    path: "/payout-batches",
    summary: "Create a bank batch",
    description: `Takes up to ${batchMax} approved payouts of methods with the provider \`bank_file\`. They count as sent.`,
    body: object({ currency: currency() }).meta({ name: "CreatePayoutBatchBody" }),
    response: batch,
    status: 201,
    errors: ["CONFLICT"],
    audit: {
      action: "payout_batch.create",
      target: (_call, { id: batchId }) => ({ type: "payout_batch", id: String(batchId) }),
    },
    handler: async ({ caller, body }) => getManaged(managedPayoutBatches, await createBatch(caller, body.currency)),
  }),
  adminRead({
    ...common,
    id: "getPayoutFile",
    extension,
    method: "get",
    path: "/payout-file",
    summary: "Get a batch file",
    description:
      "The payouts of a batch that aren't over. With `format=csv`, downloads what the bank needs: each with its amount and where it goes.",
    query: object({
      batch_id: optional(id(exampleIds.payoutBatch).description("Default: the latest.")),
      format: withDefault(oneOf("json", "csv"), "json"),
    }),
    response: listOf(payoutFileLine).meta({ name: "PayoutFile" }),
    csv: {
      fileName: "payouts",
      columns: fileColumns,
      rows: ({ caller, query }) => whileActive(caller, readBatch(query.batch_id)),
    },
    handler: ({ query }) => listBatch(query.batch_id),
  }),
  adminWrite({
    ...common,
    id: "recordPayoutOutcomes",
    extension,
    method: "post",
    path: "/payout-batches/:id/outcomes",
    summary: "Record a batch outcome",
    description:
      "What the bank has answered, as CSV: `payout_id`, `status` (`settled` or `returned`), `amount` as in the file for the bank, and `reference`. A payout with another amount is flagged instead. The file can be sent again.",
    params: batchParams,
    rawBody: {
      read: csvReader("1mb"),
      schema: Joi.string().example(
        `payout_id,status,amount,reference\n${exampleIds.payout},settled,495.00,312345678901\n`,
      ),
      contentTypes: ["text/csv"],
    },
    response: batch,
    errors: ["CONFLICT"],
    audit: {
      action: "payout_batch.record",
      target: (call) => ({ type: "payout_batch", id: call.params.id }),
    },
    handler: async ({ caller, params: { id: batchId }, body }) => {
      await recordOutcomes(caller, batchId, body);
      return getManaged(managedPayoutBatches, batchId);
    },
  }),
];
