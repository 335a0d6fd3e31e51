import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "chai";
import fc from "fast-check";
import Joi from "joi";
import { clientEvents } from "#shared/contracts/client-events.ts";
import { serverEvents } from "#shared/contracts/events.ts";
import { arbitraryOf } from "#shared/testing/arbitrary-of.ts";
import { noEngine } from "#shared/testing/service.ts";
import { apiRoutes } from "../routes.ts";
import { exampleOf } from "./example-of.ts";
import {
  type Described,
  type Direction,
  describe as describeSchema,
  type NamedSchemas,
  toJsonSchema,
} from "./json-schema.ts";

interface Case {
  readonly name: string;
  readonly schema: Joi.Schema;
  readonly direction: Direction;
  /** Path and query members arrive as strings. */
  readonly fromAddress: boolean;
}

const schemasOf = (name: string, parts: Record<string, Joi.Schema | undefined>): Case[] =>
  Object.entries(parts).flatMap(([part, schema]) => {
    const direction: Direction = ["response", "reply", "event"].includes(part) ? "output" : "input";
    const fromAddress = ["params", "query"].includes(part);
    return schema ? [{ name: `${part} of ${name}`, schema, direction, fromAddress }] : [];
  });

const routes = apiRoutes({ actors: noEngine });
const cases: Case[] = [
  ...routes.flatMap(({ method, path, params, query, body, response }) =>
    schemasOf(`${method} ${path}`, { params, query, body, response }),
  ),
  ...Object.entries(clientEvents).flatMap(([name, { payload, reply }]) => schemasOf(name, { payload, reply })),
  ...Object.entries(serverEvents).flatMap(([name, { payload }]) => schemasOf(name, { event: payload })),
];

/** What Ajv only warns of, such as a format that JSON Schema does not have, is a fault of ours. */
const complain = (...words: unknown[]) => expect.fail(words.join(" "));
const complaining = { log: complain, warn: complain, error: complain };

const makeAjv = (coerceTypes: boolean) =>
  addFormats.default(new Ajv2020({ strict: false, coerceTypes, allErrors: true, logger: complaining }));
/** One for each kind of input: each compiles the schema of schemas. */
const [plain, coercing] = [makeAjv(false), makeAjv(true)];

function compile({ schema, direction, fromAddress }: Omit<Case, "name">): ValidateFunction {
  const named: NamedSchemas = new Map();
  const root = toJsonSchema(schema, direction, named);
  return (fromAddress ? coercing : plain).compile({ ...root, components: { schemas: Object.fromEntries(named) } });
}

/** Whether Joi leaves every string as it is, apart from its case. */
const isTidy = (value: unknown): boolean => {
  if (typeof value === "string") return value === value.trim().normalize("NFC");
  return value === null || typeof value !== "object" || Object.values(value).every(isTidy);
};

/**
 * Whatever Joi accepts, the published schema accepts: as Joi has converted it, and unconverted where it is tidy.
 * Answers whether Joi accepts it.
 */
function expectNoFailure(validate: ValidateFunction, schema: Joi.Schema, value: unknown): boolean {
  const { error, value: converted } = schema.validate(value);
  if (error) return false;
  for (const offered of isTidy(value) ? [converted, value] : [converted]) {
    const taken = validate(structuredClone(offered));
    if (!taken) expect.fail(`${JSON.stringify(offered)} is refused: ${JSON.stringify(validate.errors)}`);
  }
  return true;
}

const isDescribedByAnother = ({ metas = [], keys = {} }: Described): boolean =>
  metas.some((meta) => meta.describedBy) || Object.values(keys).some(isDescribedByAnother);

describe("published schemas", () => {
  for (const { name, schema, direction, fromAddress } of cases) {
    it(`${name}: refuses nothing that Joi accepts, and its example fits both`, () => {
      const validate = compile({ schema, direction, fromAddress });
      const example = exampleOf(schema);
      expect(schema.validate(example, { convert: fromAddress }).error?.message, "the example").to.equal(undefined);
      expectNoFailure(validate, schema, example);
      // What the server sends is made by it, not sampled: only its example is tried. Actions in games are published
      // sharper than their schemas, because the game's actor checks them.
      if (direction === "output" || isDescribedByAnother(describeSchema(schema))) return;
      let accepted = 0;
      // Joi accepts few of the values for long forms.
      for (let tries = 0; tries < 10 && accepted < 4; tries += 1)
        fc.assert(
          fc.property(arbitraryOf(describeSchema(schema)), (value) => {
            if (expectNoFailure(validate, schema, value)) accepted += 1;
          }),
          { numRuns: 100, includeErrorInReport: true },
        );
      expect(accepted, "values that Joi accepted").to.be.greaterThan(3);
    });
  }

  it("covers the routes and the actions", () => {
    expect(cases.length).to.be.greaterThan(Object.keys(clientEvents).length * 2);
  });
});

describe("exampleOf", () => {
  it("shows one of the members that exclude each other", () => {
    const either = Joi.object({ user: Joi.string().example("ada"), room: Joi.string().example("owls") });
    expect(exampleOf(either.xor("user", "room"))).to.deep.equal({ user: "ada" });
    expect(exampleOf(either)).to.deep.equal({ user: "ada", room: "owls" });
  });
});

describe("toJsonSchema", () => {
  const publish = (schema: Joi.Schema, direction: Direction = "input") => {
    const named: NamedSchemas = new Map();
    return { schema: toJsonSchema(schema, direction, named), named };
  };
  const takes = (schema: Joi.Schema, value: unknown) =>
    compile({ schema, direction: "input", fromAddress: false })(value);

  it("says each rule between members", () => {
    const two = Joi.object({ a: Joi.string(), b: Joi.string() });
    const [none, one, both] = [{}, { a: "x" }, { a: "x", b: "y" }];
    const table: [Joi.Schema, boolean, boolean, boolean][] = [
      [two.or("a", "b"), false, true, true],
      [two.xor("a", "b"), false, true, false],
      [two.oxor("a", "b"), true, true, false],
      [two.and("a", "b"), true, false, true],
      [two.nand("a", "b"), true, true, false],
      [two.with("a", "b"), true, false, true],
      [two.without("a", "b"), true, true, false],
    ];
    for (const [schema, ...expected] of table) {
      expect(
        [none, one, both].map((value) => takes(schema, value)),
        JSON.stringify(schema.describe()),
      ).to.deep.equal(expected);
      expect([none, one, both].map((value) => !schema.validate(value).error)).to.deep.equal(expected);
    }
  });

  it("takes null where an enum allows it, and strings beside a rule that refuses them", () => {
    expect(takes(Joi.string().valid("a").allow(null), null)).to.equal(true);
    expect(takes(Joi.string().uri().allow(""), "")).to.equal(true);
    expect(takes(Joi.string().min(3).empty(""), "")).to.equal(true);
    expect(takes(Joi.string().min(3), "")).to.equal(false);
  });

  it("says a format that JSON Schema does not have as a pattern", () => {
    const hash = Joi.string().hex().length(4);
    expect(["12aF", "12ag", "12a"].map((value) => takes(hash, value))).to.deep.equal([true, false, false]);
  });

  it("keeps what a pattern's flags mean, and says when it cannot", () => {
    const anyCase = Joi.string().pattern(/^[a-f]x\.\p{Lu}.$/isu);
    expect(publish(anyCase).schema.pattern).to.equal("^[a-fA-F][xX]\\.\\p{Lu}[\\s\\S]$");
    const lower = Joi.string()
      .lowercase()
      .pattern(/^[a-z_]+$/);
    expect(() => publish(lower)).to.throw("converts the case");
    expect(() => publish(Joi.string().pattern(/^a$/m))).to.throw("flags");
  });

  it("hands the presence of a view down, but not that of what is optional", () => {
    const view = Joi.object({ a: Joi.string(), b: Joi.object({ c: Joi.string() }).optional() }).options({
      presence: "required",
    });
    const { schema } = publish(view, "output");
    expect(schema.required).to.deep.equal(["a"]);
    expect(schema.properties?.b?.required).to.deep.equal(["c"]);
  });

  it("publishes a named schema once, and refuses two of one name", () => {
    const card = Joi.object({ id: Joi.string() }).meta({ name: "Card" });
    const { schema, named } = publish(
      Joi.object({ one: card, other: card.allow(null), many: Joi.array().items(card) }),
    );
    expect([...named.keys()]).to.deep.equal(["Card"]);
    expect(schema.properties?.one).to.deep.equal({ $ref: "#/components/schemas/Card" });
    expect(schema.properties?.other?.anyOf).to.deep.include({ type: "null" });
    const best = publish(Joi.object({ card, best: card.description("The best.") })).schema.properties?.best;
    expect(best).to.deep.equal({ description: "The best.", $ref: "#/components/schemas/Card" });
    const impostor = Joi.object({ id: Joi.number() }).meta({ name: "Card" });
    expect(() => publish(Joi.object({ card, impostor }))).to.throw("Card");
  });
});
