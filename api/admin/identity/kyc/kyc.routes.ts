import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, object } from "#shared/contracts/fields.ts";
import { kycExpiry, kycLevel, kycState } from "#shared/contracts/views.ts";
import { setKyc } from "#shared/domain/identity/kyc/decide-kyc.ts";
import { managedKycCases } from "#shared/domain/identity/kyc/managed-kyc-cases.ts";
import { type AdminRoute, adminWrite } from "../../../http/admin-route.ts";
import { managedReads } from "../../managed-routes.ts";

const tag = "Payouts";

export const kycRoutes = (): AdminRoute[] => [
  ...managedReads(managedKycCases, tag),
  adminWrite({
    tag,
    id: "setKyc",
    method: "post",
    path: "/users/:id/kyc",
    summary: "Set a user's identity level",
    description: "Level 0 takes it away. What the provider decides later replaces it.",
    permission: "kyc_cases.write",
    params: object({ id: id(exampleIds.ada) }),
    body: object({ level: kycLevel(), expires_at: kycExpiry(), reason: line(1, 200, "Passport seen by video") }).meta({
      name: "SetKycBody",
    }),
    response: kycState,
    audit: { action: "user.set_kyc", target: ({ params }) => ({ type: "user", id: params.id }) },
    handler: ({ caller, params, body }) => setKyc(caller, params.id, body),
  }),
];
