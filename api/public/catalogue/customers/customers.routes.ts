import { catalogueCustomer } from "#shared/contracts/catalogue-customer-views.ts";
import { applyAsCustomer, getCustomer } from "#shared/domain/catalogue/customers/customers.ts";
import { type Route, routeOf } from "../../../http/route.ts";

const route = routeOf("API keys", "user");

/** How a user becomes a reseller. */
export const customersRoutes = (): Route[] => [
  route({
    id: "getCatalogueCustomer",
    method: "get",
    path: "/users/me/catalogue-customer",
    summary: "Get your application",
    description: "Returns your status as a customer of the catalogue; `NOT_FOUND` before you have applied.",
    extension: true,
    response: catalogueCustomer,
    errors: ["NOT_FOUND"],
    handler: ({ caller }) => getCustomer(caller.userId),
  }),
  route({
    id: "applyAsCatalogueCustomer",
    method: "post",
    path: "/users/me/catalogue-customer",
    summary: "Apply as a customer",
    description:
      "Applies to be a customer of the catalogue, once: a repeated call changes nothing. An administrator decides. By a setting, which is on by default in development only, you are approved at once.",
    extension: true,
    rateLimit: { points: 20, seconds: 3600, by: "user" },
    response: catalogueCustomer,
    handler: ({ caller }) => applyAsCustomer(caller),
  }),
];
