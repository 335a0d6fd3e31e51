import { exampleIds } from "#shared/contracts/examples.ts";
import { flag, id, object, optional } from "#shared/contracts/fields.ts";
import { appeal, appealAnswer, appealDetails, newSanction, sanction } from "#shared/contracts/views.ts";
import { imposeSanction, liftSanction } from "#shared/domain/identity/sanctions/impose-sanction.ts";
import { managedAppeals, managedSanctions } from "#shared/domain/identity/sanctions/managed-sanctions.ts";
import { getAppealDetails } from "#shared/domain/operations/appeals/appeals.queries.ts";
import { decideAppeal } from "#shared/domain/operations/appeals/decide-appeal.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { managedList } from "../../managed-routes.ts";

const tag = "Sanctions";

export const sanctionsRoutes = (): AdminRoute[] => [
  managedList(managedSanctions, tag),
  adminWrite({
    tag,
    id: "imposeSanction",
    method: "post",
    path: "/sanctions",
    summary: "Sanction a user",
    description:
      "Takes some rights for a while, at every door within moments: the calls fail with `SANCTIONED`, and say the reason. `mic` and `login` also remove the user from their room. Without `kinds`, it is a warning. The user is notified, and may appeal.",
    extension: true,
    permission: "sanctions.write",
    body: object({
      user_id: id(exampleIds.ada),
      ...newSanction,
      report_id: optional(id(exampleIds.report).description("The report of this user that it is about.")),
    }).meta({ name: "ImposeSanctionBody" }),
    status: 201,
    response: sanction,
    errors: ["NOT_FOUND"],
    audit: { action: "sanction.create", target: (_input, data) => ({ type: "sanction", id: data.id }) },
    handler: ({ caller, body }) => imposeSanction(caller, body),
  }),
  adminWrite({
    tag,
    id: "liftSanction",
    method: "post",
    path: "/sanctions/:id/lift",
    summary: "Lift a sanction",
    description: "Gives back what it took, at once.",
    extension: true,
    permission: "sanctions.write",
    params: object({ id: id(exampleIds.sanction) }),
    response: sanction,
    errors: ["CONFLICT"],
    audit: { action: "sanction.lift", target: ({ params }) => ({ type: "sanction", id: params.id }) },
    handler: ({ caller, params }) => liftSanction(caller, params.id),
  }),
  managedList(managedAppeals, tag),
  adminRead({
    tag,
    id: "getAppeal",
    method: "get",
    path: "/appeals/:id",
    summary: "Get an appeal",
    description:
      "Returns what it is about: the sanction, or what was removed, with the evidence of the review that it came from.",
    extension: true,
    permission: "appeals.read",
    params: object({ id: id(exampleIds.appeal) }),
    response: appealDetails,
    errors: ["NOT_FOUND"],
    handler: ({ params }) => getAppealDetails(params.id),
  }),
  adminWrite({
    tag,
    id: "decideAppeal",
    method: "post",
    path: "/appeals/:id/decide",
    summary: "Decide an appeal",
    description:
      "Allowed for another administrator than the one who imposed the sanction, or removed the content. `overturn` lifts it, or brings back what was removed. The user sees the answer.",
    extension: true,
    permission: "appeals.write",
    params: object({ id: id(exampleIds.appeal) }),
    body: object({ overturn: flag(true), answer: appealAnswer() }).meta({ name: "DecideAppealBody" }),
    response: appeal,
    errors: ["CONFLICT"],
    audit: {
      action: "appeal.decide",
      target: ({ params }) => ({ type: "appeal", id: params.id }),
    },
    handler: ({ caller, params, body }) => decideAppeal(caller, params.id, body),
  }),
];
