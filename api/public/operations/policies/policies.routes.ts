import { type Route, route } from "../../../http/route.ts";
import { presentPolicies } from "./policies.presenter.ts";
import { policies } from "./policies.schemas.ts";

export const policiesRoutes = (): Route[] => [
  route({
    id: "getPolicies",
    method: "get",
    path: "/settings/privacy",
    tag: "Config",
    summary: "Get the policies",
    description:
      "Returns the community guidelines, the privacy policy, and the terms of service. If `updated_at` is later than when a user agreed, ask them to read the texts again.",
    auth: "anyone",
    response: policies,
    handler: async () => presentPolicies(),
  }),
];
