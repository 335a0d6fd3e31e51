import { exampleIds } from "#shared/contracts/examples.ts";
import { id, object, oneOf } from "#shared/contracts/fields.ts";
import { rulePreview } from "#shared/contracts/views.ts";
import { previewRule } from "#shared/domain/operations/rules/preview-rule.ts";
import { addStartingList } from "#shared/domain/operations/rules/starting-lists.ts";
import { languages } from "#shared/kernel/languages.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";

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
  adminWrite({
    tag: "Rules",
    id: "addStartingList",
    method: "post",
    path: "/rules/starting-lists",
    status: 201,
    summary: "Add a starting list",
    description:
      "Creates a rule with a small list of insults, threats, and advertisements in a language. It is a start: read it, extend it by what you see, look at its preview, and enable it.",
    extension: true,
    permission: "rules.write",
    body: object({ language: oneOf(...languages) }).meta({ name: "AddStartingListBody" }),
    response: object({ id: id(exampleIds.rule) }).meta({ name: "AddedRule" }),
    errors: ["CONFLICT"],
    audit: { action: "rule.create", target: (_input, rule) => ({ type: "rule", id: rule.id }) },
    handler: ({ caller, body }) => addStartingList(caller, body.language),
  }),
];
