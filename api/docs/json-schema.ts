import { isDeepStrictEqual } from "node:util";
import Joi from "joi";
import { fillPatterns } from "./pattern-source.ts";

/** A JSON Schema (draft 2020-12). */
export interface JsonSchema {
  [keyword: string]: unknown;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

/** The parts of Joi's `describe()` that are read here. */
export interface Described {
  readonly type: string;
  readonly flags?: { only?: boolean; unknown?: boolean; presence?: string; default?: unknown; empty?: Described };
  readonly preferences?: { presence?: string };
  readonly rules?: readonly { name: string; args?: { regex?: string; options?: object; limit?: unknown } }[];
  readonly allow?: readonly unknown[];
  readonly truthy?: readonly unknown[];
  readonly falsy?: readonly unknown[];
  readonly metas?: readonly Meta[];
  readonly examples?: readonly unknown[];
  readonly keys?: Readonly<Record<string, Described>>;
  readonly items?: readonly Described[];
  readonly matches?: readonly { schema?: Described }[];
  readonly dependencies?: readonly Dependency[];
}

interface Meta {
  readonly name?: string;
  /** The description of the named schema itself. Its `description` describes one use of it. */
  readonly about?: string;
  /** The field that tells the choices of `variants` apart. */
  readonly discriminator?: string;
  /** See `publishedAs`. */
  readonly published?: JsonSchema;
  /** See `describedBy` of the field types. */
  readonly describedBy?: () => Joi.Schema;
  /** See `exampleWith`. */
  readonly example?: () => unknown;
}

interface Dependency {
  readonly rel: string;
  readonly key?: string;
  readonly peers: readonly string[];
}

/** `input`: what a client can send. `output`: what it receives. */
export type Direction = "input" | "output";

/** The schemas that carry a name, by name: `components/schemas` of the document. */
export type NamedSchemas = Map<string, JsonSchema>;

const descriptions = new WeakMap<Joi.Schema, Described>();

/**
 * Returns the description of a schema. Cached: Joi validates each description, which is most of the cost of a document.
 */
export function describe(schema: Joi.Schema): Described {
  const known = descriptions.get(schema);
  if (known) return known;
  const described = schema.describe() as unknown as Described;
  descriptions.set(schema, described);
  return described;
}

/** Returns the examples that a schema itself has; the last one counts. */
export function ownExamples({ metas, examples }: Described): unknown[] | undefined {
  const changed = metas?.findLast(({ example }) => example)?.example;
  return changed ? [changed()] : examples && [...examples];
}

/** Returns the name of a schema, `.meta({ name })`: that of its component, and of the type in generated clients. */
export const nameOf = (schema: Joi.Schema): string | undefined => ownName(describe(schema));

function ownName({ metas }: Described): string | undefined {
  const published = metas?.find(({ describedBy }) => describedBy)?.describedBy?.();
  return published ? nameOf(published) : metas?.findLast(({ name }) => name)?.name;
}

/** Returns whether a call can do without this part of its input, as it is published. */
export const isOptional = (schema: Joi.Schema): boolean =>
  (
    describe(schema)
      .metas?.find((meta) => meta.describedBy)
      ?.describedBy?.() ?? schema
  ).validate({}).error === undefined;

/** Returns the schema with this name, unless it has one. */
export const withName = <S extends Joi.AnySchema>(schema: S, name: string): S =>
  nameOf(schema) ? schema : (schema.meta({ name }) as S);

/**
 * Returns a placeholder for a schema that is already published, to use in a schema that contains it: describing it
 * again would take long. Omits what is next to a reference, so that all uses of the referenced schema are equal.
 */
export const publishedAs = (published: JsonSchema): Joi.AnySchema =>
  Joi.any().meta({ published: published.$ref ? { $ref: published.$ref } : published });

/**
 * The published form of a Joi schema: Joi's own JSON Schema, with what that drops filled in from `describe()`.
 * It describes values after Joi's conversions (trimmed, normalized, defaults set). Where Joi converts the case, it
 * accepts both. A schema with `.meta({ name })` becomes an entry of `named` and a `$ref`.
 * @throws when two different schemas have one name, and for what JSON Schema cannot say (a pattern's flag `m`)
 */
export function toJsonSchema(schema: Joi.Schema, direction: Direction, named: NamedSchemas): JsonSchema {
  const node = schema["~standard"].jsonSchema[direction]({ target: "draft-2020-12" }) as JsonSchema;
  return fill(node, describe(schema), { direction, named, presence: "optional" });
}

interface Context {
  readonly direction: Direction;
  readonly named: NamedSchemas;
  /** The presence of fields that don't declare their own. */
  readonly presence: string;
}

function fill(node: JsonSchema, described: Described, outer: Context): JsonSchema {
  const context = { ...outer, presence: described.preferences?.presence ?? outer.presence };
  const { published, describedBy } = Object.assign({}, ...(described.metas ?? [])) as Meta;
  if (published) return published;
  if (describedBy) return toJsonSchema(describedBy(), context.direction, context.named);
  const name = ownName(described);
  if (name) return define(name, node, described, context);
  if (described.type === "object") fillObject(node, described, context);
  if (described.type === "array") fillArray(node, described, context);
  if (described.type === "alternatives") fillAlternatives(node, described, context);
  if (described.type === "string") fillPatterns(node, described);
  const examples = ownExamples(described);
  if (examples) node.examples = examples;
  return withOtherValues(node, described);
}

const refTo = (name: string) => `#/components/schemas/${name}`;

function define(name: string, node: JsonSchema, described: Described, context: Context): JsonSchema {
  const { metas = [], allow, ...rest } = described;
  const own = fill(
    { ...node, ...(described.type !== "alternatives" && { type: described.type }) },
    { ...rest, metas: metas.filter((meta) => !meta.name), ...(allow && { allow: allow.filter(notNull) }) },
    context,
  );
  // The description of this use is next to the reference.
  const { description, examples } = own;
  delete own.description;
  delete own.examples;
  const { about } = metas.find((meta) => meta.about) ?? {};
  if (about) own.description = about;
  const known = context.named.get(name);
  if (known && !isDeepStrictEqual(known, own)) throw new Error(`Two different schemas have the name ${name}.`);
  context.named.set(name, own);
  const ref = { $ref: refTo(name) };
  const said = { ...(description !== undefined && { description }), ...(examples !== undefined && { examples }) };
  return allow?.includes(null) ? { ...said, anyOf: [ref, { type: "null" }] } : { ...said, ...ref };
}

const notNull = (value: unknown): boolean => value !== null;

/** What Joi publishes for fields of any name. */
const anyName = ".*";

function fillObject(node: JsonSchema, described: Described, context: Context): void {
  const members = Object.entries(described.keys ?? {});
  const required: string[] = [];
  for (const [key, member] of members) {
    const presence = member.flags?.presence ?? context.presence;
    const isSet = context.direction === "output" && member.flags?.default !== undefined;
    if (presence === "forbidden") delete node.properties?.[key];
    else if (node.properties?.[key]) node.properties[key] = fill(node.properties[key], member, context);
    if (presence === "required" || isSet) required.push(key);
  }
  if (required.length > 0) node.required = required;
  // To Joi, a pattern is for fields without a schema of their own. In JSON Schema, it is for all that it matches.
  const { [anyName]: others, ...patterns } = (node.patternProperties ?? {}) as Record<string, JsonSchema>;
  if (others && Object.keys(patterns).length === 0) {
    // No index signature of a generated type fits text beside fields of other types.
    node.additionalProperties = members.length > 0 ? true : others;
    delete node.patternProperties;
  }
  // Generators take an object without fields for one that is always empty.
  if (members.length === 0 && described.flags?.unknown) node.additionalProperties ??= true;
  // Responses may get new fields later, which would break clients that reject unknown fields.
  if (context.direction === "output" && node.additionalProperties === false) delete node.additionalProperties;
  const rules = (described.dependencies ?? []).map(dependencySchema);
  if (rules.length > 0) node.allOf = [...(node.allOf ?? []), ...rules];
}

const has = (...required: string[]): JsonSchema => ({ required });
const lacks = (...required: string[]): JsonSchema => ({ not: { required } });

/** Rules between members, each with a sentence: most readers of the document show no `anyOf` of `required`. */
function dependencySchema({ rel, key = "", peers }: Dependency): JsonSchema {
  const all = peers.join(", ");
  const each = peers.map((peer) => has(peer));
  const twoOf = peers.flatMap((one, index) => peers.slice(index + 1).map((other) => lacks(one, other)));
  const allTogether = Object.fromEntries(peers.map((peer) => [peer, peers.filter((other) => other !== peer)]));
  const schemas: Record<string, JsonSchema> = {
    or: { description: `At least one of: ${all}.`, anyOf: each },
    xor: { description: `Exactly one of: ${all}.`, oneOf: each },
    oxor: { description: `At most one of: ${all}.`, allOf: twoOf },
    and: { description: `All of these, or none: ${all}.`, dependentRequired: allTogether },
    nand: { description: `Not all of these together: ${all}.`, ...lacks(...peers) },
    with: { description: `${key} needs: ${all}.`, dependentRequired: { [key]: [...peers] } },
    without: { description: `${key} excludes: ${all}.`, allOf: peers.map((peer) => lacks(key, peer)) },
  };
  const schema = schemas[rel];
  if (!schema) throw new Error(`JSON Schema cannot say ${rel} between ${all}.`);
  return schema;
}

function fillArray(node: JsonSchema, described: Described, context: Context): void {
  // `.single()` publishes a choice between the array and its item.
  const array = node.anyOf?.[0] ?? node;
  const items = described.items ?? [];
  const [first] = items;
  if (!first || !array.items) return;
  array.items =
    items.length === 1
      ? fill(array.items, first, context)
      : { anyOf: items.map((item, index) => fill(array.items!.anyOf![index]!, item, context)) };
  if (array !== node) node.anyOf = [array, array.items];
}

function fillAlternatives(node: JsonSchema, described: Described, context: Context): void {
  const keyword = ["anyOf", "oneOf", "allOf"].find((candidate) => Array.isArray(node[candidate]));
  const schemas = described.matches?.map((match) => match.schema);
  if (!keyword || !schemas?.every((schema) => schema !== undefined)) return;
  // A choice that may also be null lists null first.
  const offset = (node[keyword] as JsonSchema[]).length - schemas.length;
  node[keyword] = (node[keyword] as JsonSchema[]).map((one, index) => {
    const schema = schemas[index - offset];
    return schema ? fill(one, schema, context) : one;
  });
  const field = described.metas?.find((meta) => meta.discriminator)?.discriminator;
  if (field) node.discriminator = { propertyName: field, mapping: mappingOf(field, schemas) };
}

/** Returns the schema for each value of a discriminator. */
function mappingOf(field: string, schemas: readonly Described[]): Record<string, string> {
  const entries = schemas.flatMap((schema) =>
    (schema.keys?.[field]?.allow ?? []).map((value) => [value, refTo(String(ownName(schema)))] as const),
  );
  return Object.fromEntries(entries);
}

/**
 * Values beside what the rest of the schema says: null beside an enum, `.allow()`ed or `.empty()` strings, `"1"` for
 * true.
 */
function withOtherValues(node: JsonSchema, described: Described): JsonSchema {
  const { only, empty } = described.flags ?? {};
  const { truthy = [], falsy = [] } = described;
  if (truthy.length + falsy.length > 0) {
    const { type, ...said } = node;
    return { ...said, anyOf: [{ type }, { enum: [...truthy, ...falsy] }] } as JsonSchema;
  }
  const allowed = described.allow ?? [];
  if (node.enum && allowed.includes(null)) return nullableEnum(node);
  if (described.type !== "string") return node;
  const others = [...(only ? [] : allowed), ...(empty?.allow ?? [])].filter(
    (value): value is string => typeof value === "string" && !takes(node, value),
  );
  return others.length > 0 ? { anyOf: [node, { enum: others }] } : node;
}

/** Generators read a choice of an enum and null, but not null among the values of an enum. */
function nullableEnum({ type, enum: values, ...said }: JsonSchema): JsonSchema {
  const [of] = [type].flat().filter((name) => name !== "null");
  return { ...said, anyOf: [{ ...(of && { type: of }), enum: values!.filter(notNull) }, { type: "null" }] };
}

function takes(node: JsonSchema, value: string): boolean {
  const rules = [node, ...(node.allOf ?? [])];
  const fits = ({ pattern }: JsonSchema) => typeof pattern !== "string" || new RegExp(pattern, "u").test(value);
  return (
    Number(node.minLength ?? 0) <= value.length &&
    !node.format &&
    (node.enum?.includes(value) ?? true) &&
    rules.every(fits)
  );
}
