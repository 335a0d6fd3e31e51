import { type Html, html } from "../web/html.ts";
import type { JsonSchema } from "./json-schema.ts";
import { prose } from "./prose.ts";

/** A member of a payload, as a row of a table. */
interface Row {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

const namedPrefix = "#/components/schemas/";

/**
 * The members of an object as a table; what is inside an object without a name of its own follows it, with its path.
 */
export function schemaTable(schema: JsonSchema): Html {
  const rows = rowsOf(schema, "");
  if (rows.length === 0) return html`<p>An empty object.</p>`;
  const explained = rows.some(({ schema: member }) => meaningOf(member));
  return html`<div class="scroll"><table>
<thead><tr><th>Field</th><th>Type</th>${explained ? html`<th>Description</th>` : ""}</tr></thead>
<tbody>${rows.map(
    ({ name, schema: member, required }) => html`<tr>
<td><code>${name}</code>${required ? "" : html` <small>optional</small>`}</td>
<td>${typeOf(member)}</td>
${explained ? html`<td>${prose(meaningOf(member))}</td>\n` : ""}</tr>
`,
  )}</tbody>
</table></div>`;
}

const meaningOf = ({ description }: JsonSchema): string => (typeof description === "string" ? description : "");

/** Shows an object as a table of its fields, and any other schema as one line. */
export function schemaBlock(schema: JsonSchema): Html {
  if (schema.properties) return schemaTable(schema);
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  if (choices.some(({ properties }) => properties))
    return html`${choices.map((choice, index) => html`${index > 0 ? html`<p>or</p>` : ""}${schemaBlock(choice)}`)}`;
  return html`<p>${typeOf(schema)}</p>`;
}

function rowsOf(schema: JsonSchema, before: string): Row[] {
  const required = new Set((schema.required as string[] | undefined) ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const name = before + key;
    const inside = member.items?.properties
      ? rowsOf(member.items, `${name}[].`)
      : member.properties
        ? rowsOf(member, `${name}.`)
        : [];
    return [{ name, schema: member, required: required.has(key) }, ...inside];
  });
}

/** What a value is, in words, with its bounds: `string, 1 to 128 characters`. */
function typeOf(schema: JsonSchema): Html {
  const { $ref, type, items, enum: values } = schema;
  const anyOf = schema.anyOf ?? schema.oneOf;
  if (typeof $ref === "string") return refTo($ref.slice(namedPrefix.length));
  if (anyOf) return joined(anyOf.map(typeOf), " or ");
  if (values)
    return joined(
      values.map((value) => html`<code>${String(value)}</code>`),
      " or ",
    );
  if (Array.isArray(type)) {
    const { type: _several, ...rest } = schema;
    return joined(
      type.map((one) => typeOf(one === "null" ? { type: one } : { ...rest, type: one })),
      " or ",
    );
  }
  if (type === "array") return html`list of ${items ? typeOf(items) : "anything"}`;
  if (type === "string") return html`${stringType(schema)}`;
  if (type === "integer" || type === "number") return html`${type}${boundsOf(schema.minimum, schema.maximum)}`;
  return html`${String(type ?? "anything")}`;
}

const refTo = (name: string): Html => html`<a href="#${name}">${name}</a>`;

const joined = (parts: readonly Html[], between: string): Html =>
  html`${parts.map((part, index) => (index > 0 ? html`${between}${part}` : part))}`;

const formats: Record<string, string> = {
  uuid: "UUID",
  "date-time": "ISO 8601 time",
  uri: "URL",
  email: "email address",
};

function stringType({ format, minLength, maxLength }: JsonSchema): string {
  if (typeof format === "string") return formats[format] ?? format;
  const bounds = boundsOf(Number(minLength) > 1 || maxLength !== undefined ? (minLength ?? 0) : undefined, maxLength);
  return bounds ? `string${bounds} characters` : "string";
}

/** `, 1 to 20`; nothing where there is no bound that means anything. */
function boundsOf(min: unknown, max: unknown): string {
  const isBound = (value: unknown): value is number => typeof value === "number" && value < Number.MAX_SAFE_INTEGER;
  if (isBound(min) && isBound(max)) return min === max ? `, ${min}` : `, ${min} to ${max}`;
  if (isBound(max)) return `, at most ${max}`;
  return isBound(min) && min > 0 ? `, at least ${min}` : "";
}
