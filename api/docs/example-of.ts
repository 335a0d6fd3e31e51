import type Joi from "joi";
import type { Infer } from "#shared/contracts/fields.ts";
import { type Described, describe } from "./json-schema.ts";

/**
 * An example of what a schema takes, put together from the `.example()`s of its leaves; the last one given counts.
 * Members without any example are left out unless they are required.
 */
export const exampleOf = <T>(schema: Joi.AnySchema<T>): T => compose(describe(schema)) as T;

/** The same schema with another example: its own, with these fields changed. */
export const exampleWith = <S extends Joi.AnySchema<object>>(schema: S, fields: Partial<Infer<S>>): S =>
  schema.example({ ...exampleOf(schema), ...fields }) as S;

function compose(described: Described): unknown {
  const { type, flags, allow, examples, metas } = described;
  const other = metas?.find((meta) => meta.describedBy)?.describedBy?.();
  if (other) return exampleOf(other);
  if (examples) return examples.at(-1);
  if (type === "object") return composeObject(described);
  if (type === "array") {
    const item = described.items?.[0] && compose(described.items[0]);
    return item === undefined ? [] : [item];
  }
  if (type === "alternatives") return described.matches?.[0]?.schema && compose(described.matches[0].schema);
  if (flags?.default !== undefined) return flags.default;
  if (flags?.only) return allow?.find((value) => value !== null) ?? null;
  return type === "boolean" ? true : undefined;
}

function composeObject({ keys = {}, dependencies = [] }: Described): object {
  // Of members that exclude each other the first one is shown.
  const excluded = dependencies.flatMap(({ rel, peers }) => (rel === "xor" || rel === "oxor" ? peers.slice(1) : []));
  const members = Object.entries(keys)
    .filter(([key, member]) => member.flags?.presence !== "forbidden" && !excluded.includes(key))
    .map(([key, member]) => [key, compose(member)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}
