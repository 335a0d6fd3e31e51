import { type Route, route } from "../../http/route.ts";
import { presentPolicies } from "./policies.presenter.ts";
import { policies } from "./policies.schemas.ts";

export const policiesRoutes = (): Route[] => [
  route({
    method: "get",
    path: "/settings/privacy",
    tag: "Config",
    summary: "Community guidelines, privacy policy and terms",
    auth: "anyone",
    response: policies,
    handler: async () => presentPolicies(),
  }),
];
