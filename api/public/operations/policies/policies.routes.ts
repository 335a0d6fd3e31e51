import { policies } from "#shared/contracts/views.ts";
import { type Route, route } from "../../../http/route.ts";
import { presentPolicies } from "./policies.presenter.ts";

export const policiesRoutes = (): Route[] => [
  route({
    id: "getPolicies",
    method: "get",
    path: "/settings/privacy",
    tag: "Config",
    summary: "Get the policies",
    description:
      "Returns the community guidelines, the privacy policy, and the terms of service, as the operator has written them, in your language if there is one. If `updated_at` is later than when a user agreed, ask them to read the texts again.",
    auth: "anyone",
    response: policies,
    handler: async ({ language }) => presentPolicies(await language()),
  }),
];
