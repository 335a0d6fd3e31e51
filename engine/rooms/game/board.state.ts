import { type ArraySchema, type FieldsAndMethods, type Schema, schema, t } from "@colyseus/schema";
import type Joi from "joi";
import { gameSpecs } from "#shared/contracts/games/games.ts";
import { assert } from "#shared/kernel/assert.ts";
import { pascalCase } from "#shared/kernel/pascal-case.ts";

type Fields = Record<string, unknown>;
/** Returns what a field becomes: the object that it is, if only its fields change, so that clients get only those. */
type Next = (current: unknown, value: unknown) => unknown;

const primitives = { string: "string", date: "string", number: "number", boolean: "boolean" } as const;
const primitiveOf = ({ type }: Joi.Description) => primitives[type as keyof typeof primitives] as "string" | undefined;
const replace: Next = (_current, value) => value ?? undefined;

type Define = (fields: FieldsAndMethods, name: string) => unknown;

/** Makes the class of an object, and the function that writes to it. */
function objectOf({ keys }: Joi.Description, name: string, define: Define = schema) {
  const entries = Object.entries((keys ?? {}) as Readonly<Record<string, Joi.Description>>);
  const fields = entries.map(([key, of]) => [key, fieldOf(of, name + pascalCase(key))] as const);
  const builders = fields.map(([key, { builder }]) => [key, builder] as const);
  const Class = define(Object.fromEntries(builders), name) as new () => Schema;
  const next: Next = (current, value) => {
    if (value === null) return undefined;
    const state = (current ?? new Class()) as Fields;
    for (const [key, field] of fields) state[key] = field.next(state[key], (value as Fields)[key]);
    return state;
  };
  return { Class, next };
}

function listOf(item: Joi.Description, name: string) {
  const primitive = primitiveOf(item);
  const object = primitive ? undefined : objectOf(item, name);
  const nextItem = object?.next ?? replace;
  const next: Next = (current, value) => {
    const [list, values] = [current as ArraySchema<unknown>, value as readonly unknown[]];
    while (list.length > values.length) list.pop();
    for (const [index, one] of values.entries()) {
      const old = index < list.length ? list[index] : undefined;
      const made = nextItem(old, one);
      if (index === list.length) list.push(made);
      else if (made !== old) list[index] = made;
    }
    return list;
  };
  return { builder: primitive ? t.array(primitive) : t.array(object!.Class), next };
}

function fieldOf(of: Joi.Description, name: string) {
  const primitive = primitiveOf(of);
  if (primitive) return { builder: t[primitive]().optional(), next: replace };
  if (of.type === "array") return listOf((of.items as [Joi.Description])[0], name);
  assert(of.type === "object", `${name} can't be shown to native clients`);
  const { Class, next } = objectOf(of, name);
  return { builder: t.ref(Class).optional(), next };
}

/** The public board of any game. Its class is the game's, such as `LudoBoard`. */
export const Board = schema({}, "Board");

/** The board of each game, made from its contract: null there is undefined here, since Colyseus deletes such fields. */
const boards = Object.fromEntries(
  gameSpecs.map(({ meta, board }) => [
    meta.type,
    objectOf(board.describe(), `${pascalCase(meta.type)}Board`, (fields, name) => Board.extend(fields, name)),
  ]),
);

/** Returns the board with what a spectator may see of it now. Only what has changed is sent. */
export const nextBoard = (type: string, current: Schema | undefined, publicBoard: object): Schema =>
  boards[type]!.next(current, publicBoard) as Schema;
