import { setImmediate as nextTurn } from "node:timers/promises";
import { type ErrorCode, errorCodes } from "#shared/kernel/error-codes.ts";
import type { Api } from "../http/api.ts";
import { rateLimitOf } from "../http/rate-limit.ts";
import { type Route, type RouteEntry, successStatuses } from "../http/route.ts";
import { exampleOf } from "./example-of.ts";
import { addGameSchemas } from "./game-schemas.ts";
import { describe, type JsonSchema, type NamedSchemas, toJsonSchema } from "./json-schema.ts";
import { sharedComponents } from "./openapi-components.ts";
import { errorCodesOf } from "./operation-errors.ts";
import { textRules } from "./text-rules.ts";

/** An OpenAPI 3.1 document. */
export interface OpenApi {
  openapi: string;
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
  [field: string]: unknown;
}

export interface Operation {
  operationId: string;
  summary: string;
  responses: Record<string, object>;
  [field: string]: unknown;
}

export const introduction = `Voice rooms, seats, chat, gifts and coins.

Every answer is JSON: \`{ "success": true, "data": … }\`, or \`{ "success": false, "error": { "code", "message" } }\` with a
code from the [error reference](/docs/errors). Times are ISO 8601 in UTC, ids are UUIDs that sort by the time they were
made, coins are integers. Unknown members of a body are refused, unknown query members are ignored.

${textRules}

Paged lists take \`page\` and \`limit\`; cursor lists take \`before\`, the id of the last item seen, newest first.

Log in with \`POST /auth/login\`, send \`Authorization: Bearer <accessToken>\`; a token lives 15 minutes, then
\`POST /auth/refresh\` gives the next. What happens in a room is pushed over Socket.IO on the same port, see
[events](/docs/events); the same actions by REST cause the same events.`;

/** What of an API its document is made of. */
export type DocumentedApi = Pick<Api, "basePath" | "routes" | "rateLimits" | "document">;

/**
 * The document of an API, made from the table that also makes its routes. A turn of the event loop for each operation: all
 * at once they would hold up every room of the process.
 */
export async function openApi(api: DocumentedApi, version: string): Promise<OpenApi> {
  const { basePath, routes, document } = api;
  const named: NamedSchemas = new Map();
  const paths: OpenApi["paths"] = {};
  for (const route of routes) {
    await nextTurn();
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method]: operationOf(api, route, named) };
  }
  addGameSchemas(named);
  const { schemas, ...components } = sharedComponents();
  return {
    openapi: "3.1.0",
    info: { title: document.title, version, description: document.introduction },
    servers: [{ url: basePath }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      ...components,
      securitySchemes: { bearer: document.securityScheme },
      schemas: { ...schemas, ...Object.fromEntries(named) },
    },
  };
}

function operationOf(api: DocumentedApi, route: Route, named: NamedSchemas): Operation {
  const parameters = parametersOf(route, named);
  return {
    operationId: route.id ?? operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: descriptionOf(api, route),
    security: route.auth === "anyone" ? [] : [{ bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: bodyOf(route.body, named) }),
    ...(route.rawBody && { requestBody: { required: true, content: route.rawBody.content } }),
    responses: {
      ...Object.fromEntries(successStatuses(route).map((status) => [status, successOf(route, status, named)])),
      ...failuresOf(errorCodesOf(route)),
    },
    ...(route.extension && { "x-extension": true }),
  };
}

/** `POST /rooms/:id/voice-token` is `postRoomsByIdVoiceToken`. */
function operationId({ method, path }: RouteEntry): string {
  const words = path.replace(/:(\w)/g, (_match, first: string) => `by-${first.toUpperCase()}`).split(/[^A-Za-z0-9]+/);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function descriptionOf(api: DocumentedApi, route: RouteEntry): string {
  const { points, seconds, by, only } = rateLimitOf(api, route);
  const counted = only ? `${only} errors` : "requests";
  const scope = route.rateLimit ? "only this operation" : "all operations without their own limit";
  return [
    route.description,
    route.extension && "Extension: not part of the contract.",
    route.idempotent && "Send an `Idempotency-Key` to make retries safe.",
    `Rate limit: ${points} ${counted} in ${seconds} s per ${by === "ip" ? "IP address" : by.replace("_", " ")}, counting ${scope}.`,
  ]
    .filter(Boolean)
    .join("\n\n");
}

function parametersOf(route: RouteEntry, named: NamedSchemas): object[] {
  const members = (schema: RouteEntry["params"], place: "path" | "query") => {
    if (!schema) return [];
    const { properties = {}, required = [] } = toJsonSchema(schema, "input", named) as JsonSchema & {
      required?: string[];
    };
    const examples = exampleOf(schema) as Record<string, unknown>;
    return Object.keys(describe(schema).keys ?? {}).map((name) => {
      const { description, ...member } = properties[name] ?? {};
      return {
        name,
        in: place,
        required: place === "path" || required.includes(name),
        ...(typeof description === "string" && { description }),
        schema: member,
        ...(examples[name] !== undefined && { example: examples[name] }),
      };
    });
  };
  return [
    ...members(route.params, "path"),
    ...members(route.query, "query"),
    ...(route.headers ?? []).map((header) => ({
      ...header,
      in: "header",
      required: false,
      schema: { type: "string" },
    })),
    ...(route.idempotent ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
  ];
}

function bodyOf(schema: NonNullable<Route["body"]>, named: NamedSchemas): object {
  return {
    required: schema.validate({}).error !== undefined,
    content: { "application/json": { schema: toJsonSchema(schema, "input", named), example: exampleOf(schema) } },
  };
}

const headers = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };

function successOf(route: RouteEntry, status: number, named: NamedSchemas): object {
  const data = toJsonSchema(route.response, "output", named);
  return {
    description: status === 201 ? "Created." : route.mayExist ? "Already exists." : "OK.",
    headers,
    content: {
      "application/json": {
        schema: {
          type: "object",
          properties: { success: { const: true }, data },
          required: ["success", "data"],
        },
        example: { success: true, data: exampleOf(route.response) },
      },
    },
  };
}

/** One response for each HTTP status, with an example for each code that comes with it. */
function failuresOf(codes: readonly ErrorCode[]): Record<string, object> {
  const byStatus = Map.groupBy(codes, (code) => errorCodes[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, members]) => [
      status,
      {
        description: members.map((code) => `[${code}](/docs/errors#${code}): ${errorCodes[code].meaning}`).join("\n\n"),
        headers: {
          ...headers,
          ...((status === 429 || status === 503) && { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }),
        },
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/Failure" },
            examples: Object.fromEntries(members.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
          },
        },
      },
    ]),
  );
}
