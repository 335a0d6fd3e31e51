import { setImmediate as nextTurn } from "node:timers/promises";
import type Joi from "joi";
import { blockRules } from "#shared/contracts/block-rules.ts";
import { pascalCase } from "#shared/kernel/pascal-case.ts";
import manifest from "../../package.json" with { type: "json" };
import type { Api } from "../http/api.ts";
import { csvSuffix } from "../http/csv-download.ts";
import { rateLimitOf } from "../http/rate-limit.ts";
import { type Route, type RouteEntry, successStatuses } from "../http/route.ts";
import { exampleOf, examplesOf } from "./example-of.ts";
import {
  describe,
  isOptional,
  type JsonSchema,
  type NamedSchemas,
  nameOf,
  publishedAs,
  toJsonSchema,
  withName,
} from "./json-schema.ts";
import { headerRefs, sharedComponents, sharedParameters } from "./openapi-components.ts";
import { Failures } from "./openapi-failures.ts";

/** An OpenAPI 3.1 document. */
export interface OpenApi {
  openapi: string;
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
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

/** The parts of an API that its document is made of. */
export type DocumentedApi = Pick<
  Api,
  | "basePath"
  | "routes"
  | "rateLimits"
  | "envelope"
  | "document"
  | "bodies"
  | "credentials"
  | "adminCredentials"
  | "speaks"
>;

/**
 * Returns the document of an API, made from the table that also makes its routes. Each operation takes a turn of the
 * event loop: described all at once, they would block every room of the process.
 */
export async function openApi(api: DocumentedApi): Promise<OpenApi> {
  const { basePath, routes, document, envelope, credentials, adminCredentials } = api;
  const { version, license } = manifest;
  const schemas: NamedSchemas = new Map();
  const failures = new Failures(envelope, schemas);
  const paths: OpenApi["paths"] = {};
  for (const route of routes) {
    await nextTurn();
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = {
      ...paths[path],
      [route.method]: operationOf(api, route, schemas, failures),
    };
    if (route.csv) paths[path + csvSuffix] = { get: downloadOf(route, paths[path]!.get!) };
  }
  const { responses, examples } = failures;
  const { AcceptLanguage, ...otherParameters } = sharedParameters;

  return {
    openapi: "3.1.0",
    info: {
      title: document.title,
      version,
      description: document.introduction,
      license: { name: license, identifier: license },
    },
    servers: [{ url: basePath }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name, description: document.tags[name] })),
    paths,
    components: {
      ...sharedComponents,
      parameters: api.speaks ? { AcceptLanguage, ...otherParameters } : otherParameters,
      securitySchemes: Object.fromEntries(
        [credentials, adminCredentials].flatMap((accepted) => (accepted ? [[accepted.name, accepted.scheme]] : [])),
      ),
      responses,
      examples,
      schemas: Object.fromEntries([...schemas].map(([name, schema]) => [name, tellDefaults(schema)])),
    },
  };
}

/** The download of a list is an operation of its own, because clients can't tell two types of one status apart. */
function downloadOf(route: Route, { responses, ...operation }: Operation): Operation {
  const { id: operationId, summary } = downloadNames(route);
  const content = { "text/csv": { schema: { type: "string" } } };
  const success = { description: "OK.", headers: headerRefs.always, content };
  return { ...operation, operationId, summary, responses: { ...responses, 200: success } };
}

export const downloadNames = ({ id, summary }: RouteEntry) => ({ id: `${id}Csv`, summary: `${summary} as CSV` });

function operationOf(api: DocumentedApi, route: Route, schemas: NamedSchemas, failures: Failures): Operation {
  const name = pascalCase(route.id);
  const parameters = parametersOf(route, schemas);
  // Of each operation, because any response can be an error.
  if (api.speaks) parameters.push({ $ref: "#/components/parameters/AcceptLanguage" });
  const body = route.body ?? route.rawBody?.schema;
  const successes = successStatuses(route).map((status) => [status, successOf(api, route, status, name, schemas)]);
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: descriptionOf(api, route),
    security: securityOf(api, route),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: bodyOf(
        route.rawBody?.contentTypes ?? api.bodies.contentTypes,
        withName(body, `${name}Body`),
        schemas,
      ),
    }),
    responses: { ...Object.fromEntries(successes), ...failures.of(route, name) },
    ...(route.permission && { "x-permission": route.permission }),
    ...(route.extension && { "x-extension": true }),
  };
}

/**
 * Says defaults of fields in words: generators take a field with `default` for one that is always there, also in
 * bodies.
 */
function tellDefaults(schema: JsonSchema): JsonSchema {
  const { properties, ...rest } = schema;
  if (!properties) return schema;
  const fields = Object.entries(properties).map(([name, { default: value, ...field }]) => {
    const said = [field.description, value !== undefined && `Default: \`${JSON.stringify(value)}\`.`].filter(Boolean);
    return [name, { ...tellDefaults(field), ...(said.length > 0 && { description: said.join(" ") }) }];
  });
  return { ...rest, properties: Object.fromEntries(fields) };
}

/** Returns the security schemes of which an operation accepts any. */
function securityOf({ credentials, adminCredentials }: DocumentedApi, { auth }: RouteEntry): object[] {
  if (auth === "anyone") return [];
  const accepted = [credentials, auth === "user_or_admin" ? adminCredentials : undefined];
  return accepted.flatMap((one) => (one ? [{ [one.name]: [] }] : []));
}

function permissionText({ auth, permission }: RouteEntry): string | false {
  if (!permission) return false;
  if (permission === "none") return "Every administrator may call this.";
  return `${auth === "admin" ? "Requires" : "Administrators need"} the permission \`${permission}\`.`;
}

function descriptionOf(api: DocumentedApi, route: RouteEntry): string {
  const { points, seconds, by, only } = rateLimitOf(api, route);
  const counted = only ? `${only} errors` : "requests";
  const scope = route.rateLimit ? "only this operation" : "all operations without their own limit";
  return [
    route.description,
    permissionText(route),
    route.blocks && blockRules[route.blocks].text,
    route.extension && "Extension: version 1 of the API, as other servers may have it, doesn't include this.",
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
    const names = Object.keys(describe(schema).keys ?? {}).filter((name) => !(route.csv && name === "format"));
    return names.map((name) => {
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

function bodyOf(contentTypes: readonly string[], schema: Joi.Schema, named: NamedSchemas): object {
  const [first, ...others] = examplesOf(schema);
  const media = {
    schema: toJsonSchema(schema, "input", named),
    ...(others.length === 0
      ? { example: first!.value }
      : { examples: Object.fromEntries([first!, ...others].map(({ name, value }) => [name, { value }])) }),
  };
  return {
    required: !isOptional(schema),
    content: Object.fromEntries(contentTypes.map((type) => [type, media])),
  };
}

/** `RoomResponse` of `Room`; of data without a name of its own, `ListRoomsData`, it is `ListRoomsResponse`. */
function successOf(
  { envelope }: DocumentedApi,
  route: RouteEntry,
  status: number,
  operation: string,
  schemas: NamedSchemas,
): object {
  const data = publishedAs(toJsonSchema(withName(route.response, `${operation}Data`), "output", schemas));
  const name = `${nameOf(route.response) ?? operation}Response`;
  return {
    description: status === 201 ? "Created." : route.mayExist ? "Already exists." : "OK.",
    headers: headerRefs.always,
    content: {
      "application/json": {
        schema: toJsonSchema(envelope.successSchema(data, route).meta({ name }), "output", schemas),
        example: envelope.success(exampleOf(route.response), route),
      },
    },
  };
}
