import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { assert } from "#shared/kernel/assert.ts";

/**
 * The field types that inputs and views are composed of. Each carries an example, which the OpenAPI document shows, and
 * its TypeScript type, which `Infer` reads: a schema is declared once, and its type follows.
 */

/** The type of what a schema accepts: `Infer<typeof userCard>`. */
export type Infer<Schema extends Joi.AnySchema> = NonNullable<Schema["~standard"]["types"]>["output"];

declare const mayBeAbsent: unique symbol;
/** Marks the type of a field that may be absent. Exists only in types. */
export interface Optional {
  readonly [mayBeAbsent]: true;
}

/** The fields of an object by their names. */
export type Fields = Readonly<Record<string, Joi.AnySchema>>;
type OptionalName<F extends Fields> = { [Name in keyof F]: F[Name] extends Optional ? Name : never }[keyof F];
type Flat<T> = { [Name in keyof T]: T[Name] } & {};
/** The object type that fields make. */
export type InferFields<F extends Fields> = Flat<
  { -readonly [Name in Exclude<keyof F, OptionalName<F>>]: Infer<F[Name]> } & {
    -readonly [Name in OptionalName<F>]?: Infer<F[Name]>;
  }
>;

/** Fields that `optional` or `withDefault` made: their types say so, where a bare `.optional()` would not. */
const declaredOptional = new WeakSet<Joi.AnySchema>();

/** A field that may be absent. Wrap last: it marks the finished schema. */
export function optional<Schema extends Joi.AnySchema>(schema: Schema): Schema & Optional {
  const made = schema.optional();
  declaredOptional.add(made);
  return made as Schema & Optional;
}

/** A field that may be left out and then has this value. Wrap last, as `optional`. */
export function withDefault<Schema extends Joi.AnySchema>(schema: Schema, value: Infer<Schema>): Schema {
  const made = schema.default(value).optional();
  declaredOptional.add(made);
  return made;
}

function presentUnlessOptional(fields: Fields): Record<string, Joi.AnySchema> {
  const entries = Object.entries(fields).map(([name, schema]) => {
    if (declaredOptional.has(schema)) return [name, schema] as const;
    assert(
      schema.$_getFlag("presence") !== "optional",
      `${name} is optional by optional() or withDefault(), wrapped last`,
    );
    return [name, schema.required()] as const;
  });
  return Object.fromEntries(entries);
}

/** An object with these fields and no others; each must be there, unless it is `optional` or has a default. */
export function object<F extends Fields>(fields: F): Joi.ObjectSchema<InferFields<F>> {
  return Joi.object(presentUnlessOptional(fields));
}

/** An object with the fields of another and more. */
export function extend<Base extends object, F extends Fields>(
  base: Joi.ObjectSchema<Base>,
  fields: F,
): Joi.ObjectSchema<Flat<Base & InferFields<F>>> {
  return base.append(presentUnlessOptional(fields)) as unknown as Joi.ObjectSchema<Flat<Base & InferFields<F>>>;
}

/** An object with exactly one of these fields. */
export const exactlyOneOf = <F extends Fields>(fields: F) =>
  Joi.object<{ [Name in keyof F]: { [Own in Name]: Infer<F[Name]> } }[keyof F], false, object>(fields).xor(
    ...Object.keys(fields),
  );

/**
 * Returns the names of an object's members, in their order. From what Joi gives its extensions: `describe` checks all
 * that it returns, which takes much longer.
 */
export const keysOf = (schema: Joi.ObjectSchema): string[] =>
  schema.$_terms.keys.map(({ key }: { key: string }) => key);

/** An object of which any of the fields may be absent. */
export const partial = <T extends object>(schema: Joi.ObjectSchema<T>): Joi.ObjectSchema<Partial<T>> =>
  schema.fork(keysOf(schema), (field) => field.optional());

/** An object of any shape, which something else checks. */
export const anyObject = (): Joi.ObjectSchema<object> => Joi.object<object>().unknown();

/** One of several schemas. */
export const union = <Schemas extends readonly Joi.AnySchema[]>(
  ...schemas: Schemas
): Joi.AlternativesSchema<Infer<Schemas[number]>> => Joi.alternatives(...schemas);

/**
 * One of several objects, distinguished by a field in which each has its own values. Published with that field as its
 * discriminator, so that generated clients narrow by it.
 */
export const variants = <Schemas extends readonly Joi.ObjectSchema[]>(
  discriminator: string,
  ...schemas: Schemas
): Joi.AlternativesSchema<Infer<Schemas[number]>> =>
  Joi.alternatives(...schemas)
    .match("one")
    .meta({ discriminator });

/**
 * Publishes another, stricter schema instead of this one. Use it where other code rejects what the stricter schema
 * does.
 */
export const describedBy = <Schema extends Joi.AnySchema>(schema: Schema, other: Joi.Schema): Schema =>
  schema.meta({ describedBy: () => other }) as Schema;

const wellFormed: Joi.CustomValidator<string> = (value, helpers) =>
  value.isWellFormed() ? value : helpers.error("string.pattern.name", { name: "well-formed Unicode" });

/** One more than the 30 that Unicode allows in its Stream-Safe Text Format. No script needs so many. */
const tooManyMarks = /\p{M}{31}/u;

/** Normalizes to NFC. Sorting combining marks takes quadratic time: 64 KB of them block a process for seconds. */
const normalized: Joi.CustomValidator<string> = (value, helpers) =>
  tooManyMarks.test(value)
    ? helpers.error("string.pattern.name", { name: "text with at most 30 combining marks in a row" })
    : value.normalize("NFC");

/**
 * A minimum length in characters. Joi's `min` counts UTF-16 units, and some characters have two of them. JSON Schema
 * counts characters, so without this check, the published schema would reject values that we accept.
 */
export const atLeast =
  (min: number): Joi.CustomValidator<string> =>
  (value, helpers) =>
    value.length >= min && [...value].length < min ? helpers.error("string.min", { limit: min }) : value;

const anyId = () => Joi.string().lowercase().guid({ separator: "-", wrapper: false }).length(36);
export const id = (example: string = exampleIds.ada) => anyId().example(example);
/** An ID of what the examples don't have: an optional field with it is left out of them. */
export const rareId = anyId;

/**
 * Rejects text that doesn't match. Unlike Joi's `pattern`, it isn't published: the rules for all texts are documented
 * once, in words, and clients can't be generated from them.
 */
const matching =
  (pattern: RegExp, name: string): Joi.CustomValidator<string> =>
  (value, helpers) =>
    pattern.test(value) ? value : helpers.error("string.pattern.name", { name });

/** Typed text: trimmed, NFC, well-formed, without NUL. `min` of 0 lets it be empty. `max` counts UTF-16 units. */
export const text = (min: number, max: number, example = "Hello") => {
  const base = Joi.string()
    .trim()
    .custom(normalized)
    .max(max)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what PostgreSQL cannot store.
    .custom(matching(/^[^\u0000]*$/, "text without NUL characters"))
    .custom(wellFormed)
    .example(example);
  if (min === 0) return base.allow("");
  return min === 1 ? base.min(1) : base.min(min).custom(atLeast(min));
};

/** Any character except spaces, characters that only shape others, and the blank Braille pattern. */
const visible = /[^\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * One line: like `text`, without line breaks and control, bidirectional, or annotating characters, and with a visible
 * character.
 */
export const line = (min: number, max: number, example = "Ada Lovelace") =>
  text(min, max, example)
    .custom(matching(/^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]*$/u, "a single line"))
    .custom(matching(visible, "text with at least one visible character"));

/**
 * Accepts URLs that browsers can parse. User names are rejected: `https://bank.example@evil.example` misleads readers.
 */
const showable: Joi.CustomValidator<string> = (value, helpers) => {
  const parsed = URL.parse(value);
  return parsed && parsed.username === "" && parsed.password === "" ? value : helpers.error("string.uri");
};

/** An http or https address that clients may show, without a user name in it; the server never fetches it. */
export const url = (example = "https://cdn.example.com/a.png") =>
  Joi.string()
    .uri({ scheme: ["https", "http"] })
    .max(2048)
    .custom(showable)
    .example(example);

/** A time, ISO 8601. `exampleTime` gives examples that agree with the IDs. */
export const time = (example: string) => Joi.string().isoDate().example(example);
/**
 * Only the first 9999 years have four digits, which PostgreSQL reads as JavaScript writes them. Joi would take February
 * 30 for March 2.
 */
const realDay: Joi.CustomValidator<string> = (value, helpers) => {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(String(helpers.original)) ?? [];
  const exists = !day || new Date(day).toISOString().startsWith(day);
  return exists && /^\d{4}-/.test(value) ? value : helpers.error("string.isoDate");
};
/** A time that callers choose, ISO 8601. */
export const plainTime = (example: string) => time(example).custom(realDay);
export const date = (example = "1990-12-10") =>
  Joi.string()
    .pattern(/^\d{4}-\d{2}-\d{2}$/, "a date such as 1990-12-10")
    .example(example);
export const flag = (example = true) => Joi.boolean().strict().example(example);
export const integer = (min: number, max: number, example = min) =>
  Joi.number().strict().integer().min(min).max(max).example(example);
export const count = (example = 0) => integer(0, Number.MAX_SAFE_INTEGER, example);
export const coins = (example = 100) => integer(0, Number.MAX_SAFE_INTEGER, example).description("Coins.");
/** One of these words. */
export const oneOf = <const Values extends readonly string[]>(...values: Values): Joi.StringSchema<Values[number]> =>
  Joi.string<Values[number]>()
    .valid(...values)
    .example(values[0]);

/** A field that may be null. */
export const nullable = <Schema extends Joi.AnySchema>(schema: Schema): Joi.AnySchema<Infer<Schema> | null> =>
  schema.allow(null);

/** A field that is null in one of several variants. */
export const alwaysNull = () => Joi.any<null>().valid(null).example(null);

/** Query members arrive as strings, so these convert. */
export const pageQuery = {
  page: withDefault(Joi.number().integer().min(1).max(1_000_000).example(1), 1),
  limit: withDefault(Joi.number().integer().min(1).max(100).example(20), 20),
};
export const cursorQuery = {
  before: optional(id().description("ID of the last item on the previous page.")),
  limit: withDefault(Joi.number().integer().min(1).max(100).example(50), 50),
};

/** The same object without some of its fields; undefined when none is left. */
export function without(schema: Joi.ObjectSchema, ...names: readonly string[]): Joi.ObjectSchema<object> | undefined {
  const kept = keysOf(schema).filter((name) => !names.includes(name));
  if (kept.length === 0) return undefined;
  return Joi.object(Object.fromEntries(kept.map((name) => [name, schema.extract(name)])));
}

export const listOf = <Schema extends Joi.AnySchema>(item: Schema): Joi.ArraySchema<Infer<Schema>[]> =>
  Joi.array<Infer<Schema>[]>().items(item);

/** What an operation returns that has nothing to say: its handler returns nothing, its client gets `{}`. */
export const empty = Joi.object<void, false, object>({}).meta({ name: "Empty" });

const nameOf = (schema: Joi.Schema): string => {
  const metas: readonly { readonly name?: string }[] = schema.$_terms.metas ?? [];
  const name = metas.findLast((meta) => meta.name)?.name;
  assert(name, "what a list is of has a name");
  return name;
};

/** A page of a list by number: `UserCardPage` of `UserCard`. */
export const pageOf = <Schema extends Joi.AnySchema>(item: Schema) =>
  object({ items: listOf(item), page: count(1), limit: count(20), total: count(1), total_pages: count(1) }).meta({
    name: `${nameOf(item)}Page`,
  });

/** A page of a list by cursor: `PostCursorPage` of `Post`. */
export const cursorPageOf = <Schema extends Joi.AnySchema>(item: Schema) =>
  object({ items: listOf(item), next_before: nullable(id()) }).meta({ name: `${nameOf(item)}CursorPage` });

/** Shared limits: clients read them from `GET /config/public`. */
export const limits = {
  messageLength: 1000,
  postLength: 5000,
  postMediaMax: 10,
  commentLength: 1000,
  seatsMin: 2,
  seatsMax: 20,
  seatsDefault: 8,
  giftQuantityMax: 999,
} as const;

const isZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
};

/** The time zone in which days or months begin. */
export const zone = (what: "days" | "months") =>
  Joi.string()
    .max(60)
    .pattern(/^[A-Za-z][A-Za-z0-9_+/-]*$/, "an IANA time zone")
    .custom((value: string, helpers) =>
      isZone(value) ? value : helpers.error("string.pattern.name", { name: "IANA time zone" }),
    )
    .description(`IANA name of the time zone in which ${what} begin.`)
    .example("Asia/Kolkata");

/** The same; UTC by default. */
export const timeZone = (what: "days" | "months") => withDefault(zone(what), "UTC");
