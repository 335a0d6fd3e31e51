import type { JsonSchema } from "./json-schema.ts";

/** A comment of one line or more, without what would end it. */
export function commentOf(text: unknown, indent = ""): string {
  if (typeof text !== "string" || text === "") return "";
  return `${indent}/** ${text.replaceAll("*/", "* /").replaceAll("\n", `\n${indent} * `)} */\n`;
}

/** A name as a key of a TypeScript type. */
export const keyed = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

const union = (members: readonly string[]): string => [...new Set(members)].join(" | ") || "never";

/** Wraps a union, of which something else is a list or a part. */
const asPart = (type: string): string => (/ [|&] /.test(type) ? `(${type})` : type);

/**
 * Returns the TypeScript type of a schema, as `toJsonSchema` publishes it: references are names of types. Rules that
 * types cannot say, such as lengths, are left out. An optional field can also be undefined, because JSON leaves it out.
 */
export function typeOfSchema(schema: JsonSchema, indent = ""): string {
  if (typeof schema.$ref === "string") return schema.$ref.replace(/^.*\//, "");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices?.some(isType)) return union(choices.map((choice) => typeOfSchema(choice, indent)));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOfSchema({ ...schema, type }, indent)));
  return typeOfPlain(schema, indent);
}

/** Some choices are only rules of which fields go together. */
const isType = (choice: JsonSchema): boolean =>
  ["$ref", "const", "enum", "type", "anyOf", "oneOf"].some((keyword) => keyword in choice);

function typeOfPlain(schema: JsonSchema, indent: string): string {
  const scalars: Record<string, string> = {
    string: "string",
    integer: "number",
    number: "number",
    boolean: "boolean",
    null: "null",
  };
  const { type = "unknown", items = {} } = schema;
  if (type === "array") return `${asPart(typeOfSchema(items, indent))}[]`;
  return type === "object" ? typeOfObject(schema, indent) : (scalars[String(type)] ?? "unknown");
}

function typeOfObject(schema: JsonSchema, indent: string): string {
  const required = new Set((schema.required ?? []) as string[]);
  const inner = `${indent}  `;
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const type = typeOfSchema(field, inner);
    const optional = required.has(name) ? "" : "?";
    return `${commentOf(field.description, inner)}${inner}${keyed(name)}${optional}: ${type}${optional && " | undefined"};\n`;
  });
  const others = othersOf(schema);
  if (others) fields.push(`${inner}[name: string]: ${asPart(typeOfSchema(others, inner))};\n`);
  return fields.length > 0 ? `{\n${fields.join("")}${indent}}` : "Record<string, never>";
}

/** The schema of fields that have no name of their own. */
function othersOf({ additionalProperties, patternProperties, properties }: JsonSchema): JsonSchema | undefined {
  if (additionalProperties && typeof additionalProperties === "object") return additionalProperties as JsonSchema;
  const [pattern] = Object.values((patternProperties ?? {}) as Record<string, JsonSchema>);
  if (pattern) return pattern;
  return additionalProperties === true || (!properties && additionalProperties === undefined) ? {} : undefined;
}
