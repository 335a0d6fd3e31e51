import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { flag, id, nullable, object, oneOf, optional, plainTime } from "#shared/contracts/fields.ts";
import { type SanctionKind, sanctionKinds } from "#shared/contracts/sanction-rights.ts";
import { appeal, appealAnswer, sanction, sanctionFields } from "#shared/contracts/views.ts";
import { decideAppeal } from "#shared/domain/identity/sanctions/appeals.ts";
import { imposeSanction, liftSanction } from "#shared/domain/identity/sanctions/impose-sanction.ts";
import { managedAppeals, managedSanctions } from "#shared/domain/identity/sanctions/managed-sanctions.ts";
import { type AdminRoute, adminWrite } from "../../../http/admin-route.ts";
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
      "Takes some rights for a while, at every door within moments: the calls fail with `SANCTIONED`, and say the reason. `mic` and `login` also remove the user from their room. The user may appeal.",
    extension: true,
    permission: "sanctions.write",
    body: object({
      user_id: id(exampleIds.ada),
      kinds: Joi.array<SanctionKind[]>()
        .items(oneOf(...sanctionKinds))
        .min(1)
        .unique()
        .description("What it takes. `login`: everything but to see it, appeal, and leave."),
      until: optional(nullable(plainTime("2099-01-31T12:00:00.000Z")).description("Without it, until it is lifted.")),
      reason: sanctionFields.reason,
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
  adminWrite({
    tag,
    id: "decideAppeal",
    method: "post",
    path: "/appeals/:id/decide",
    summary: "Decide an appeal",
    description:
      "Allowed for another administrator than the one who imposed the sanction. `overturn` lifts it. The user sees the answer.",
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
