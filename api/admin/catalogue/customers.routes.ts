import Joi from "joi";
import { currencyCode, decimal } from "#shared/contracts/catalogue-balance-views.ts";
import { customerRecord, customerStatus } from "#shared/contracts/catalogue-customer-views.ts";
import { exampleIds } from "#shared/contracts/examples.ts";
import { line, object, id as userId } from "#shared/contracts/fields.ts";
import {
  decideOnCustomer,
  getCustomerRecord,
  listCustomers,
  readCustomers,
  setCredit,
} from "#shared/domain/catalogue/customers/manage-customers.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../http/admin-route.ts";
import { listRoute } from "../list-route.ts";
import { idParams } from "./catalogue.schemas.ts";

const tag = "Catalogue";
const permission = "catalogue_customers.write";
const auditOf = (verb: string) => ({
  action: `catalogue_customer.${verb}`,
  target: (call: { readonly params: { readonly id: number } }) => ({
    type: "catalogue_customer",
    id: String(call.params.id),
  }),
});

export const catalogueCustomersRoutes = (): AdminRoute[] => [
  listRoute({
    tag,
    id: "listCatalogueCustomers",
    path: "/catalogue/customers",
    summary: "List catalogue customers",
    description: "Lists the users who applied to be resellers, with their credit.",
    permission: "catalogue_customers.read",
    filters: {
      status: customerStatus(),
      user_id: userId(exampleIds.ada),
      is_overdue: Joi.boolean().description("`true`: only customers with overdue orders.").example(true),
    },
    sorts: ["created_at"],
    item: customerRecord,
    list: listCustomers,
    download: {
      fileName: "catalogue-customers",
      columns: ["id", "user_id", "status", "is_overdue", "reminded_at", "created_at"],
      read: readCustomers,
    },
  }),
  adminRead({
    tag,
    id: "getCatalogueCustomer",
    method: "get",
    path: "/catalogue/customers/:id",
    summary: "Get a catalogue customer",
    permission: "catalogue_customers.read",
    params: idParams,
    response: customerRecord,
    handler: ({ params }) => getCustomerRecord(params.id),
  }),
  adminWrite({
    tag,
    id: "approveCatalogueCustomer",
    method: "post",
    path: "/catalogue/customers/:id/approve",
    summary: "Approve a catalogue customer",
    description: "The user can make API keys and place orders, which are prepaid unless you set a credit limit.",
    permission,
    params: idParams,
    response: customerRecord,
    errors: ["CONFLICT"],
    audit: auditOf("approve"),
    handler: ({ caller, params }) => decideOnCustomer(caller, { id: params.id, status: "approved" }),
  }),
  adminWrite({
    tag,
    id: "suspendCatalogueCustomer",
    method: "post",
    path: "/catalogue/customers/:id/suspend",
    summary: "Suspend a catalogue customer",
    description:
      "The user can no longer make API keys, place orders, or see codes. Open orders stay open, and what is due stays due.",
    permission,
    params: idParams,
    body: object({ reason: line(1, 500, "Unpaid orders.") }).meta({ name: "SuspendCatalogueCustomerBody" }),
    response: customerRecord,
    errors: ["CONFLICT"],
    audit: auditOf("suspend"),
    handler: ({ caller, params, body }) => decideOnCustomer(caller, { id: params.id, status: "suspended", ...body }),
  }),
  adminWrite({
    tag,
    id: "setCatalogueCredit",
    method: "post",
    path: "/catalogue/customers/:id/credit",
    summary: "Set a credit limit",
    description:
      "Sets the total of unpaid orders that a customer may have in a currency; 0 for none. A limit below what is due only stops further orders on credit.",
    permission,
    params: idParams,
    body: object({ currency: currencyCode(), credit_limit: decimal("500.00") }).meta({
      name: "SetCatalogueCreditBody",
    }),
    response: customerRecord,
    audit: auditOf("set_credit"),
    handler: ({ caller, params, body }) => setCredit(caller, { id: params.id, ...body }),
  }),
];
