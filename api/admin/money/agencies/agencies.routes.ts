import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, object } from "#shared/contracts/fields.ts";
import { endContract } from "#shared/domain/money/agencies/end-contract.ts";
import { managedContracts } from "#shared/domain/money/agencies/managed-agencies.ts";
import { type AdminRoute, adminWrite } from "../../../http/admin-route.ts";
import { managedReads, managedRecord } from "../../managed-routes.ts";

const tag = "Agencies";

export const adminAgenciesRoutes = (): AdminRoute[] => [
  ...managedReads(managedContracts, tag),
  adminWrite({
    tag,
    id: "endContract",
    method: "post",
    path: "/contracts/:id/end",
    summary: "End a contract at once",
    description: "Without notice. Its host and its agency are notified.",
    extension: true,
    permission: "agencies.write",
    params: object({ id: id(exampleIds.contract) }),
    body: object({ reason: line(1, 200, "The host was under age") }).meta({ name: "EndContractBody" }),
    response: managedRecord(managedContracts),
    errors: ["CONFLICT"],
    audit: { action: "contract.end", target: ({ params }) => ({ type: "contract", id: params.id }) },
    handler: ({ caller, params, body }) => endContract(caller, params.id, body.reason),
  }),
];
