import { type Route, route } from "../../http/route.ts";
import { presentPolicies } from "./policies.presenter.ts";
import { policies } from "./policies.schemas.ts";

export const policiesRoutes = (): Route[] => [
  route({
    id: "getPolicies",
    method: "get",
    path: "/settings/privacy",
    tag: "Config",
    summary: "Retrieve the policies",
    description:
      "Returns the community guidelines, the privacy policy and the terms of service. A newer `updated_at` than the one a user agreed to means that they should read them again.",
    auth: "anyone",
    response: policies,
    handler: async () => presentPolicies(),
  }),
];
