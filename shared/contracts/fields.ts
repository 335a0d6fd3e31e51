import Joi from "joi";

/**
 * The field types that inputs and views are put together from. Each carries an example: the OpenAPI document shows it.
 */

const wellFormed: Joi.CustomValidator<string> = (value, helpers) =>
  value.isWellFormed() ? value : helpers.error("string.pattern.name", { name: "well-formed Unicode" });

/** One more than Unicode's own bound for texts that are normalised piece by piece; no script writes so many. */
const tooManyMarks = /\p{M}{31}/u;

/** NFC. Putting very many marks in order takes the square of their number: 64 KB of them hold a process up for seconds. */
const normalised: Joi.CustomValidator<string> = (value, helpers) =>
  tooManyMarks.test(value)
    ? helpers.error("string.pattern.name", { name: "at most 30 marks on a letter" })
    : value.normalize("NFC");

/**
 * A minimum in characters. Joi's own `min` counts UTF-16 units, of which some characters have two, and JSON Schema counts
 * characters: without this the published schema would refuse what we take.
 */
export const atLeast =
  (min: number): Joi.CustomValidator<string> =>
  (value, helpers) =>
    [...value].length < min ? helpers.error("string.min", { limit: min }) : value;

export const id = (example = "0198f2a4-7c1e-7d3a-9b52-3f6f0c1d2e4a") =>
  Joi.string().lowercase().guid({ separator: "-", wrapper: false }).length(36).example(example);

/** What is said of every text; `/docs/events` says it once. */
export const textRules = {
  text: "Trimmed and normalised to NFC; NUL, lone surrogates and more than 30 marks on a letter are refused.",
  line: "One line, trimmed and normalised to NFC, with something that can be seen; control and direction-changing characters are refused.",
} as const;

/** Text that a person typed: trimmed, NFC, well-formed, without NUL. `min` of 0 lets it be empty. `max` counts UTF-16 units. */
export const text = (min: number, max: number, example = "Hello") => {
  const base = Joi.string()
    .trim()
    .custom(normalised)
    .max(max)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what PostgreSQL cannot store.
    .pattern(/^[^\u0000]*$/, "text without NUL")
    .custom(wellFormed)
    .description(textRules.text)
    .example(example);
  if (min === 0) return base.allow("");
  return min === 1 ? base.min(1) : base.min(min).custom(atLeast(min));
};

/** Any character but spaces, those that only shape others, and the empty pattern of Braille. */
const visible = /[^\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** One line: like `text`, without line breaks, control or direction-changing characters, and not of invisible ones alone. */
export const line = (min: number, max: number, example = "Ada Lovelace") =>
  text(min, max, example)
    .pattern(/^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u, "one line")
    .pattern(visible, "something visible")
    .description(textRules.line);

/** Browsers must be able to make something of it, and `https://bank.example@evil.example` is there to mislead. */
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

export const time = (example = "2026-01-31T12:00:00.000Z") => Joi.string().isoDate().example(example);
export const date = (example = "1990-12-10") =>
  Joi.string()
    .pattern(/^\d{4}-\d{2}-\d{2}$/, "date")
    .example(example);
export const flag = (example = true) => Joi.boolean().strict().example(example);
export const integer = (min: number, max: number, example = min) =>
  Joi.number().strict().integer().min(min).max(max).example(example);
export const count = (example = 0) => integer(0, Number.MAX_SAFE_INTEGER, example);
export const coins = (example = 100) => integer(0, Number.MAX_SAFE_INTEGER, example).description("Coins.");
export const oneOf = (...values: string[]) =>
  Joi.string()
    .valid(...values)
    .example(values[0]!);

/** A view's member that may be null. */
export const nullable = <T extends Joi.Schema>(schema: T): T => schema.allow(null) as T;

/** Query members arrive as strings, so these convert. */
export const pageQuery = {
  page: Joi.number().integer().min(1).max(1_000_000).default(1).example(1),
  limit: Joi.number().integer().min(1).max(100).default(20).example(20),
};
export const cursorQuery = {
  before: id().description("Id of the last item seen."),
  limit: Joi.number().integer().min(1).max(100).default(50).example(50),
};

/**
 * An input object: every member named; others are refused, as Joi does unless told. (Told to, with `unknown(false)`, it
 * would refuse them also where they are to be stripped: in queries.)
 */
export const input = <T = object>(members: Joi.SchemaMap<T, false> = {}) => Joi.object<T>(members);

/** The same input without some of its members; undefined when none is left. */
export const without = (schema: Joi.ObjectSchema, ...names: string[]) => {
  const kept = Object.keys(schema.describe().keys).filter((name) => !names.includes(name));
  return kept.length > 0 ? input(Object.fromEntries(kept.map((name) => [name, schema.extract(name)]))) : undefined;
};

/** A view: every member is always there. */
export const view = <T = object>(members: Joi.SchemaMap<T, false>) =>
  Joi.object<T>(members).options({ presence: "required" });

export const listOf = (item: Joi.Schema) => Joi.array().items(item);

export const pageOf = (item: Joi.Schema) =>
  view({ items: listOf(item), page: count(1), limit: count(20), total: count(1), total_pages: count(1) });

export const cursorPageOf = (item: Joi.Schema) => view({ items: listOf(item), next_before: nullable(id()) });

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
  roomCapacity: 2000,
} as const;
