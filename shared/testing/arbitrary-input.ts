import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import type Joi from "joi";
import { exampleOf } from "../../api/docs/example-of.ts";
import { type JsonSchema, type NamedSchemas, toJsonSchema } from "../../api/docs/json-schema.ts";

/** Generates inputs of an operation from its published JSON Schema. */
export interface ArbitraryInput {
  /** Matches the published schema. */
  readonly valid: fc.Arbitrary<unknown>;
  /** A valid input with one mutation. It may still be valid. */
  readonly spoiled: fc.Arbitrary<unknown>;
  /** Returns whether a value, after conversion by Joi, matches the published schema. */
  readonly fits: ValidateFunction;
}

interface Context {
  readonly named: NamedSchemas;
  /** IDs of existing resources. */
  readonly ids: readonly string[];
}

/** One for all schemas: each would compile the schema of schemas again. */
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

/** @param ids IDs of existing resources, so that inputs don't all fail with NOT_FOUND */
export function arbitraryInput(schema: Joi.Schema, ids: readonly string[]): ArbitraryInput {
  const named: NamedSchemas = new Map();
  const published = toJsonSchema(schema, "input", named);
  const fits = ajv.compile({ ...published, components: { schemas: Object.fromEntries(named) } });
  const example = exampleOf(schema);
  // Random values rarely satisfy rules between fields. Fall back to the example if they don't.
  const valid = fitting(published, { named, ids }).map((value) => (fits(value) ? value : example));
  return { valid, spoiled: fc.tuple(valid, spoiling).map(([value, spoil]) => spoil(value)), fits };
}

function fitting(schema: JsonSchema, context: Context): fc.Arbitrary<unknown> {
  const own = ownFitting(schema, context);
  const examples = schema.examples as unknown[] | undefined;
  return examples?.length ? fc.oneof({ weight: 2, arbitrary: own }, fc.constantFrom(...examples)) : own;
}

function ownFitting(schema: JsonSchema, context: Context): fc.Arbitrary<unknown> {
  const { $ref, anyOf, oneOf, type, enum: values } = schema;
  if (typeof $ref === "string") return fitting(context.named.get($ref.split("/").at(-1)!)!, context);
  const choices = anyOf ?? (oneOf as JsonSchema[] | undefined);
  if (choices)
    return fc.oneof(
      ...choices.map((choice) => fitting({ ...schema, anyOf: undefined, ...choice } as JsonSchema, context)),
    );
  if (values) return fc.constantFrom(...values);
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => ownFitting({ ...schema, type: one }, context)));
  if (type === "object") return objectOf(schema, context);
  if (type === "array") return arrayOf(schema, context);
  if (type === "string") return stringOf(schema, context);
  if (type === "integer" || type === "number") return numberOf(schema);
  return type === "boolean" ? fc.boolean() : type === "null" ? fc.constant(null) : fc.jsonValue();
}

function objectOf({ properties = {}, required = [] }: JsonSchema, context: Context): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(
    Object.entries(properties).map(([key, member]) => [key, fitting(member, context)]),
  );
  return fc.record(members, { requiredKeys: required as string[] }).map((value) => {
    // Random values would never match.
    const repeats = Object.keys(value).filter((key) => key.startsWith("confirm_"));
    return { ...value, ...Object.fromEntries(repeats.map((key) => [key, value[key.slice("confirm_".length)]])) };
  });
}

function arrayOf({ items, minItems, maxItems }: JsonSchema, context: Context): fc.Arbitrary<unknown> {
  const [minLength, most] = [Number(minItems ?? 0), Number(maxItems ?? 5)];
  return fc.array(items ? fitting(items, context) : fc.jsonValue(), {
    minLength,
    maxLength: Math.min(most, minLength + 5),
  });
}

function numberOf({ type, minimum, maximum }: JsonSchema): fc.Arbitrary<unknown> {
  const [min, max] = [Number(minimum ?? -1000), Number(maximum ?? 1000)];
  const edges = fc.constantFrom(min, max);
  const inside =
    type === "integer"
      ? fc.integer({ min: Math.max(min, -(2 ** 31)), max: Math.min(max, 2 ** 31 - 1) })
      : fc.double({ min, max, noNaN: true });
  return fc.oneof({ weight: 3, arbitrary: inside }, edges);
}

const letters = fc.constantFrom(
  "a",
  "Z",
  "7",
  "é",
  "e\u0301",
  "ﬁ",
  "😀",
  " ",
  "%",
  "_",
  "\\",
  "'",
  "ß",
  "中",
  "\u202e",
  "\u200b",
  "<",
);

function stringOf(schema: JsonSchema, { ids }: Context): fc.Arbitrary<string> {
  const [minLength, maxLength] = [Number(schema.minLength ?? 0), Math.min(Number(schema.maxLength ?? 200), 2000)];
  const byFormat: Record<string, fc.Arbitrary<string>> = {
    uuid: ids.length > 0 ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, fc.uuid()) : fc.uuid(),
    "date-time": fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    date: fc.date({ noInvalidDate: true, min: new Date(0) }).map((date) => date.toISOString().slice(0, 10)),
    email: fc.emailAddress(),
    uri: fc.webUrl({ withQueryParameters: true, withFragments: true }),
  };
  const formatted = byFormat[String(schema.format)];
  if (formatted) return formatted;
  const plain = fc.string({
    unit: letters,
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength, minLength + 30)),
  });
  const longest = fc.string({ unit: fc.constantFrom("a", "b"), minLength: maxLength, maxLength });
  const shaped = typeof schema.pattern === "string" ? matching(schema.pattern) : [];
  return fc.oneof({ weight: 4, arbitrary: plain }, longest, ...shaped, ...shaped, ...shaped);
}

function matching(pattern: string): fc.Arbitrary<string>[] {
  try {
    return [fc.stringMatching(new RegExp(pattern, "u"))];
  } catch {
    return []; // fast-check doesn't support all patterns (such as `\p{…}`); use the other constraints.
  }
}

/** Strings that tend to break databases, parsers, and patterns. */
const nasty = fc.constantFrom(
  "\u0000",
  "a\u0000b",
  "\ud800",
  "😀".repeat(600),
  "x".repeat(20_000),
  "%00",
  "' OR 1=1 --",
  "../../etc/passwd",
);
const otherTypes = fc.constantFrom<unknown>(
  null,
  "",
  " ",
  "1e3",
  "0x10",
  "true",
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  true,
  false,
  [],
  [[]],
  {},
  { $gt: 0 },
);
const odd = fc.oneof<fc.Arbitrary<unknown>[]>(nasty, otherTypes);
const strangers = fc.constantFrom(
  "a_stranger",
  "id",
  "user_id",
  "role",
  "balance",
  "status",
  "is_admin",
  "__proto__",
  "constructor",
  "toString",
  "\u0000",
);

type Spoil = (value: unknown) => unknown;

/** Mutates one place, chosen by the number: replaces a value, or removes or adds a field. */
const spoiling: fc.Arbitrary<Spoil> = fc.oneof(
  fc.tuple(fc.nat(), odd).map(
    ([at, other]): Spoil =>
      (value) =>
        changeAt(value, at, () => other),
  ),
  fc.nat().map(
    (at): Spoil =>
      (value) =>
        changeAt(value, at, () => undefined),
  ),
  fc.tuple(strangers, odd).map(
    ([name, other]): Spoil =>
      (value) =>
        withMember(value, name, other),
  ),
  fc.tuple(fc.nat(), strangers, odd).map(
    ([at, name, other]): Spoil =>
      (value) =>
        changeAt(value, at, (inner) => withMember(inner, name, other)),
  ),
);

/** Defines a field like JSON.parse: `__proto__` is an ordinary field. */
function withMember(value: unknown, name: string, member: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return member;
  return Object.defineProperty({ ...value }, name, {
    value: member,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** Mutates the nested value with the index `at`, or the whole value if nothing is nested. */
function changeAt(value: unknown, at: number, change: Spoil): unknown {
  const places = placesIn(value);
  if (places.length === 0) return change(value);
  const copy = structuredClone(value);
  const path = places[at % places.length]!;
  const holder = path
    .slice(0, -1)
    .reduce((inner, key) => (inner as Record<string, unknown>)[key], copy as unknown) as Record<string, unknown>;
  const key = path.at(-1)!;
  const changed = change(holder[key]);
  if (changed === undefined) delete holder[key];
  else holder[key] = changed;
  return copy;
}

function placesIn(value: unknown): string[][] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...placesIn(inner).map((path) => [key, ...path])]);
}
