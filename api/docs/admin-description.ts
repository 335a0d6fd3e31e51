import { setImmediate as nextTurn } from "node:timers/promises";
import type Joi from "joi";
import { pascalCase } from "#shared/kernel/pascal-case.ts";
import type { Route } from "../http/route.ts";
import type { ApiDescription, OperationDescription, Schema } from "../web/admin/api-types.ts";
import { type Direction, type NamedSchemas, toJsonSchema, withName } from "./json-schema.ts";

/**
 * Returns what the console makes its lists, forms, and actions of, from the table that serves the calls: an operation
 * that is added there needs no page of its own. Each operation takes a turn of the event loop.
 */
export async function describeAdminApi(routes: readonly Route[]): Promise<ApiDescription> {
  const schemas: NamedSchemas = new Map();
  const operations: OperationDescription[] = [];
  for (const route of routes) {
    await nextTurn();
    operations.push(describeRoute(route, schemas));
  }
  return { operations, schemas: Object.fromEntries([...schemas].map(([name, schema]) => [name, bare(schema)])) };
}

function describeRoute(route: Route, schemas: NamedSchemas): OperationDescription {
  const { id, method, path, tag, summary, description, permission = "none", query, response, csv } = route;
  const body = route.body ?? route.rawBody?.schema;
  const schemaOf = (schema: Joi.Schema, suffix: string, direction: Direction) =>
    bare(toJsonSchema(withName(schema, pascalCase(id) + suffix), direction, schemas));
  return {
    id,
    method,
    path,
    tag,
    summary,
    ...(description && { description }),
    permission,
    ...(query && { query: schemaOf(query, "Query", "input") }),
    ...(body && { body: schemaOf(body, "Body", "input") }),
    data: schemaOf(response, "Data", "output"),
    ...(csv && { csv: true }),
  };
}

/** Members for uploads of users, which administrators have none of. */
const ofUsers = /media_ids?$/;

/** Returns a schema without its examples, which are most of its weight. */
const bare = (schema: object): Schema =>
  JSON.parse(
    JSON.stringify(schema, (key, value) =>
      (key === "examples" && Array.isArray(value)) || ofUsers.test(key) ? undefined : value,
    ),
  );
