import fc from "fast-check";
import type { Described } from "../../api/docs/json-schema.ts";

/**
 * Generates values near a Joi schema: mostly valid, including boundary values, other cases, padding, characters outside
 * the BMP, wrong types, and missing fields.
 */
export function arbitraryOf(described: Described): fc.Arbitrary<unknown> {
  const given = [described.examples, described.allow, described.truthy, described.falsy]
    .flatMap((values) => values ?? [])
    .map((value) => fc.constant(value));
  const own = ofType(described);
  const known = given.length > 0 ? fc.oneof(...given) : own;
  return fc.oneof({ weight: 6, arbitrary: known }, { weight: 5, arbitrary: own }, { weight: 1, arbitrary: odd });
}

const odd = fc.constantFrom<unknown>(null, "", " ", 0, -1, 1.5, "1", true, "true", [], {}, "\u0000", "\ud800", "İ");

function ofType(described: Described): fc.Arbitrary<unknown> {
  if (described.type === "object") return objectOf(described);
  if (described.type === "array") {
    const items = (described.items ?? []).map(arbitraryOf);
    return fc.array(items.length > 0 ? fc.oneof(...items) : fc.jsonValue(), { maxLength: 4 });
  }
  if (described.type === "alternatives") {
    const schemas = (described.matches ?? []).flatMap(({ schema }) => (schema ? [arbitraryOf(schema)] : []));
    return fc.oneof(...schemas);
  }
  if (described.type === "string") return stringOf(described);
  if (described.type === "number") return numberOf(described);
  return described.type === "boolean" ? fc.boolean() : fc.jsonValue();
}

function objectOf({ keys = {}, preferences }: Described): fc.Arbitrary<unknown> {
  const members = Object.entries(keys).filter(([, member]) => member.flags?.presence !== "forbidden");
  const required = members.filter(([, member]) => (member.flags?.presence ?? preferences?.presence) === "required");
  const record = Object.fromEntries(members.map(([key, member]) => [key, arbitraryOf(member)]));
  const usual = fc.record(record, { requiredKeys: required.map(([key]) => key) }).map(repeatConfirmed);
  const partial = fc.record({ ...record, stranger: fc.constant(1) }, { requiredKeys: [] });
  return fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: partial });
}

/** `confirm_password` must equal `password`, which random values never do. */
function repeatConfirmed(value: Record<string, unknown>): Record<string, unknown> {
  const confirmed = Object.keys(value).filter((key) => key.startsWith("confirm_"));
  return { ...value, ...Object.fromEntries(confirmed.map((key) => [key, value[key.slice("confirm_".length)]])) };
}

const limitsOf = (described: Described): number[] =>
  (described.rules ?? []).flatMap(({ args }) => (typeof args?.limit === "number" ? [args.limit] : []));

function numberOf(described: Described): fc.Arbitrary<unknown> {
  const limits = limitsOf(described);
  const [min = 0, max = 1000] = [Math.min(...limits), Math.max(...limits)].filter(Number.isFinite);
  const inside = fc.double({ min: Math.min(min, max), max: Math.max(min, max), noNaN: true }).map(Math.floor);
  return fc.oneof(inside, fc.constantFrom(...limits, ...limits.map((limit) => limit + 1)), inside.map(String));
}

function stringOf(described: Described): fc.Arbitrary<unknown> {
  const names = new Set(described.rules?.map(({ name }) => name));
  const max = Math.min(...limitsOf(described).filter((limit) => limit > 0), 2000);
  const units = fc.constantFrom("a", "Z", "é", "e\u0301", "ﬁ", "😀", " ", "%", "\u00a0", "ß", "中");
  const typed = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: max + 1 }),
    fc.string({ unit: units, maxLength: max }),
  );
  const lengths = fc.constantFrom(...limitsOf(described).flatMap((limit) => [limit - 1, limit, limit + 1]), 1);
  const edges = fc.tuple(units, lengths).map(([unit, length]) => unit.repeat(Math.max(0, length / unit.length)));
  const shaped = [
    names.has("guid") && fc.uuid(),
    names.has("email") && fc.emailAddress(),
    names.has("uri") && fc.webUrl({ withQueryParameters: true, withFragments: true }),
    names.has("isoDate") && fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    ...(described.rules ?? []).map(({ args }) => args?.regex !== undefined && matching(args.regex)),
  ].filter((arbitrary) => arbitrary !== false);
  const plain = fc.oneof(typed, edges, ...shaped, ...shaped);
  return fc.oneof(
    { weight: 6, arbitrary: plain },
    plain.map((value) => value.toUpperCase()),
    plain.map((value) => ` ${value} `),
  );
}

function matching(literal: string): fc.Arbitrary<string> | false {
  const end = literal.lastIndexOf("/");
  try {
    return fc.stringMatching(new RegExp(literal.slice(1, end), literal.slice(end + 1)));
  } catch {
    return false; // fast-check doesn't support all patterns (such as `\p{…}`); use the other constraints.
  }
}
