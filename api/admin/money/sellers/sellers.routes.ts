import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, object } from "#shared/contracts/fields.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import { managedSellerTransfers } from "#shared/domain/money/sellers/managed-sellers.ts";
import { reverseTransfer } from "#shared/domain/money/sellers/reverse-transfer.ts";
import { type AdminRoute, adminWrite } from "../../../http/admin-route.ts";
import { managedReads, managedRecord } from "../../managed-routes.ts";

const tag = "Sellers";

export const sellersRoutes = (): AdminRoute[] => [
  ...managedReads(managedSellerTransfers, tag),
  adminWrite({
    tag,
    id: "reverseSellerTransfer",
    method: "post",
    path: "/seller-transfers/:id/reverse",
    summary: "Reverse a seller transfer",
    description: "Takes the coins back for the seller's stock. What the recipient no longer has becomes their debt.",
    extension: true,
    permission: "sellers.write",
    params: object({ id: id(exampleIds.sellerTransfer) }),
    body: object({ reason: line(1, 200, "Paid with a stolen card") }).meta({ name: "ReverseSellerTransferBody" }),
    response: managedRecord(managedSellerTransfers),
    errors: ["CONFLICT"],
    audit: { action: "seller_transfer.reverse", target: ({ params }) => ({ type: "seller_transfer", id: params.id }) },
    handler: async ({ caller, params, body }) => {
      await reverseTransfer(caller, params.id, body.reason);
      return getManaged(managedSellerTransfers, params.id);
    },
  }),
];
