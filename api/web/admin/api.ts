import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import type { ApiDescription, OperationDescription, Schema } from "./api-types.ts";
import type { OperationId } from "./client.ts";

/** The name of a permission, or `none`. */
export type Permission = string;

/** The description of the admin API with ways to find things in it. */
export class Api {
  readonly operations: readonly OperationDescription[];
  readonly #schemas: ApiDescription["schemas"];
  readonly #byId: ReadonlyMap<string, OperationDescription>;

  constructor({ operations, schemas }: ApiDescription) {
    this.operations = operations;
    this.#schemas = schemas;
    this.#byId = new Map(operations.map((operation) => [operation.id, operation]));
  }

  /** @throws if the service doesn't have the operation */
  operation(id: OperationId | (string & {})): OperationDescription {
    const found = this.#byId.get(id);
    if (!found) throw new Error(`There is no operation ${id}.`);
    return found;
  }

  at(method: OperationDescription["method"], path: string): OperationDescription | undefined {
    return this.operations.find((operation) => operation.method === method && operation.path === path);
  }

  /** Returns the schema that a schema refers to. What is said next to the reference stays. */
  resolved(schema: Schema): Schema {
    const name = schema.$ref?.split("/").at(-1);
    if (!name) return schema;
    const { $ref: _ref, ...said } = schema;
    return { ...this.resolved(this.#schemas[name] ?? {}), ...said };
  }
}

const description = queryOptions({
  queryKey: ["api.json"],
  staleTime: "static",
  queryFn: async () => {
    const response = await fetch("/admin/api.json");
    if (!response.ok) throw new Error(`The server can't be reached: HTTP ${response.status}.`);
    return new Api((await response.json()) as ApiDescription);
  },
});

/** The description of the admin API, which is read once. Below a `Suspense`. */
export const useApi = (): Api => useSuspenseQuery(description).data;
