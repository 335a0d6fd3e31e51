import type Joi from "joi";
import type { Infer } from "#shared/contracts/fields.ts";
import { type Described, describe, ownExamples } from "./json-schema.ts";

/**
 * Returns an example of a schema, composed from the `.example()`s of its fields. If a field has several, the last one
 * counts. Optional fields without an example are omitted.
 */
export const exampleOf = <T>(schema: Joi.AnySchema<T>): T => compose(describe(schema)) as T;

/**
 * Returns the schema with its example changed in these fields. The example is composed when it is asked for: a start
 * needs none.
 */
export const exampleWith = <S extends Joi.AnySchema<object>>(
  schema: S,
  fields: Partial<Infer<S>> | (() => Partial<Infer<S>>),
): S =>
  schema.meta({
    example: () => ({ ...exampleOf(schema), ...(typeof fields === "function" ? fields() : fields) }),
  }) as S;

function compose(described: Described): unknown {
  const { type, flags, allow, metas } = described;
  const other = metas?.find((meta) => meta.describedBy)?.describedBy?.();
  if (other) return exampleOf(other);
  const examples = ownExamples(described);
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

/**
 * Returns an example of each choice of the `variants` in a schema, named by the discriminator's value, such as `roll`.
 * A schema without variants has one example, named `example`.
 */
export function examplesOf(schema: Joi.AnySchema): { name: string; value: unknown }[] {
  const choices = choicesOf(describe(schema));
  return choices.length > 0 ? choices : [{ name: "example", value: exampleOf(schema) }];
}

function choicesOf(described: Described): { name: string; value: unknown }[] {
  const { keys = {}, matches = [], metas = [] } = described;
  const other = metas.find((meta) => meta.describedBy)?.describedBy?.();
  if (other) return choicesOf(describe(other));

  const field = metas.find((meta) => meta.discriminator)?.discriminator;
  if (field)
    return matches.map(({ schema }) => ({ name: String(schema!.keys![field]!.allow![0]), value: compose(schema!) }));

  const whole = Object.keys(keys).length > 0 ? (compose(described) as object) : {};
  const [varied] = Object.entries(keys)
    .map(([key, member]) => choicesOf(member).map(({ name, value }) => ({ name, value: { ...whole, [key]: value } })))
    .filter((choices) => choices.length > 0);
  return varied ?? [];
}

function composeObject({ keys = {}, dependencies = [] }: Described): object {
  // Of fields that exclude each other, only the first is shown.
  const excluded = dependencies.flatMap(({ rel, peers }) => (rel === "xor" || rel === "oxor" ? peers.slice(1) : []));
  const members = Object.entries(keys)
    .filter(([key, member]) => member.flags?.presence !== "forbidden" && !excluded.includes(key))
    .map(([key, member]) => [key, compose(member)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}
