import { empty, listOf } from "#shared/contracts/fields.ts";
import { apiKey, newApiKey } from "#shared/contracts/views.ts";
import { createCustomerKey } from "#shared/domain/catalogue/customers/customers.ts";
import { deleteApiKey, listApiKeys } from "#shared/domain/identity/api-keys/api-keys.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import { apiKeyParams, createApiKeyBody } from "./api-keys.schemas.ts";

const route = routeOf("API keys", "user");

export const apiKeysRoutes = (): Route[] => [
  route({
    id: "listApiKeys",
    method: "get",
    path: "/users/me/api-keys",
    summary: "List your API keys",
    description: "Returns your API keys, the newest first, without their secrets.",
    extension: true,
    response: listOf(apiKey).meta({ name: "ApiKeyList" }),
    handler: ({ caller }) => listApiKeys(caller.userId),
  }),
  route({
    id: "createApiKey",
    method: "post",
    path: "/users/me/api-keys",
    summary: "Create an API key",
    description:
      "Creates a key pair for the catalogue API, at `/catalogue`. The secret key is only in this response. Only approved customers of the catalogue have keys: see `POST /users/me/catalogue-customer`. You can have 20 key pairs.",
    rateLimit: { points: 20, seconds: 3600, by: "user" },
    extension: true,
    body: createApiKeyBody,
    response: newApiKey,
    status: 201,
    errors: ["CONFLICT", "FORBIDDEN"],
    handler: ({ caller, body }) => createCustomerKey(caller, body),
  }),
  route({
    id: "deleteApiKey",
    method: "delete",
    path: "/users/me/api-keys/:id",
    blocks: "none",
    summary: "Revoke an API key",
    description: "The key pair and its bearer tokens stop working immediately.",
    extension: true,
    params: apiKeyParams,
    response: empty,
    handler: ({ caller, params }) => deleteApiKey(caller, params.id),
  }),
];
