/** A JSON Schema, as far as the console reads it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** An operation of the admin API. */
export interface OperationDescription {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Below the base path, with `:name` for parameters. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string | undefined;
  /** `none`: it concerns only the administrator's own account. */
  readonly permission: string;
  readonly query?: Schema;
  readonly body?: Schema;
  readonly data: Schema;
  readonly csv?: true;
}

/** What the console makes its lists, forms, and actions of. */
export interface ApiDescription {
  readonly operations: readonly OperationDescription[];
  /** The named schemas, which others refer to by `#/components/schemas/<name>`. */
  readonly schemas: Readonly<Record<string, Schema>>;
}
