import type { Api } from "../api.ts";
import type { Schema } from "../api-types.ts";

/** How a value is typed in and shown. */
export type Kind =
  | "flag"
  | "bit"
  | "choice"
  | "choices"
  | "number"
  | "time"
  | "date"
  | "url"
  | "password"
  | "line"
  | "text"
  | "lines"
  | "record"
  | "records"
  | "json";

/** A property of an object, such as a field of a form, a filter, or a column. */
export interface Field {
  readonly name: string;
  readonly kind: Kind;
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** Whether it can be null. */
  readonly isNullable: boolean;
  /** The values of a choice. */
  readonly values: readonly (string | number | boolean)[];
  /** The properties of a record, or of each of several. */
  readonly fields: readonly Field[];
}

/** Returns the properties of an object's schema. */
export function fieldsOf(api: Api, schema: Schema | undefined): readonly Field[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = api.resolved(schema);
  return Object.entries(properties).map(([name, property]) => fieldOf(api, name, property, required.includes(name)));
}

function fieldOf(api: Api, name: string, property: Schema, isRequired: boolean): Field {
  const { schema, isNullable } = withoutNull(api, property);
  const items = schema.items && withoutNull(api, schema.items).schema;
  const kind = kindOf(api, name, schema);
  return {
    name,
    kind,
    schema,
    isRequired,
    isNullable,
    values: valuesOf(kind === "choices" ? items : schema),
    fields: kind === "record" ? fieldsOf(api, schema) : kind === "records" ? fieldsOf(api, items) : [],
  };
}

/** Returns the schema of the values other than null; of several alternatives, the one that says most. */
function withoutNull(api: Api, given: Schema): { readonly schema: Schema; readonly isNullable: boolean } {
  const schema = api.resolved(given);
  const alternatives = (schema.anyOf ?? schema.oneOf)?.map((one) => api.resolved(one));
  if (alternatives) {
    const others = alternatives.filter(({ type }) => type !== "null");
    const best = others.find((one) => one.enum) ?? others.find(({ properties }) => properties) ?? others[0] ?? {};
    const isOne = others.length === 1;
    const { anyOf: _any, oneOf: _one, ...said } = schema;
    return {
      schema: { ...(isOne || best.enum ? best : {}), ...said },
      isNullable: others.length < alternatives.length,
    };
  }
  const types = [schema.type ?? []].flat();
  if (!types.includes("null") && !schema.enum?.includes(null)) return { schema, isNullable: false };
  const type = types.find((one) => one !== "null");
  const values = schema.enum?.filter((value) => value !== null);
  return { schema: { ...schema, ...(type && { type }), ...(values && { enum: values }) }, isNullable: true };
}

const valuesOf = (schema: Schema | undefined) =>
  (schema?.enum ?? []).filter((value): value is string | number | boolean => value !== null);

/** More characters than this are typed into several lines. */
const lineMax = 200;
const longNames = /^(reason|note|message|body|details?|description|guide|bio|comment|content|delivery)$/;

function kindOf(api: Api, name: string, schema: Schema): Kind {
  if (schema.enum) return schema.enum.every((value) => typeof value === "boolean") ? "flag" : "choice";
  switch (schema.type) {
    case "boolean":
      return "flag";
    case "integer":
    case "number":
      return schema.minimum === 0 && schema.maximum === 1 ? "bit" : "number";
    case "array":
      return kindOfArray(api, schema);
    case "object":
      return Object.keys(schema.properties ?? {}).length > 0 ? "record" : "json";
    case "string":
      return kindOfText(name, schema);
    default:
      return "json";
  }
}

function kindOfArray(api: Api, { items = {} }: Schema): Kind {
  const { schema } = withoutNull(api, items);
  if (schema.enum) return "choices";
  if (schema.type === "string") return "lines";
  return schema.properties ? "records" : "json";
}

function kindOfText(name: string, { format, maxLength = 0 }: Schema): Kind {
  if (format === "date-time") return "time";
  if (format === "date" || name === "date") return "date";
  if (format === "uri") return "url";
  if (/password/.test(name)) return "password";
  return maxLength > lineMax || (longNames.test(name) && maxLength > 60) ? "text" : "line";
}

/** Whether the values of a schema are a page of a list. */
export const itemsOf = (api: Api, data: Schema): Schema | undefined => {
  const { type, items, properties } = api.resolved(data);
  return type === "array" ? items : properties?.items && api.resolved(properties.items).items;
};
