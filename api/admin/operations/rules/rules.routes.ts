import { exampleIds } from "#shared/contracts/examples.ts";
import { id, object } from "#shared/contracts/fields.ts";
import { rulePreview } from "#shared/contracts/views.ts";
import { previewRule } from "#shared/domain/operations/rules/preview-rule.ts";
import { type AdminRoute, adminRead } from "../../../http/admin-route.ts";

export const rulesRoutes = (): AdminRoute[] => [
  adminRead({
    tag: "Rules",
    id: "previewRule",
    method: "get",
    path: "/rules/:id/preview",
    summary: "Preview a rule",
    description:
      "Says in how many of the latest 10,000 messages of rooms it would have found something, with up to 20 of them, also while it isn't enabled.",
    extension: true,
    permission: "rules.read",
    params: object({ id: id(exampleIds.rule) }),
    response: rulePreview,
    errors: ["NOT_FOUND"],
    handler: ({ params }) => previewRule(params.id),
  }),
];
