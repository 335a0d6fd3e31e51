import { expect } from "chai";
import type Joi from "joi";
import { checkInput } from "#shared/contracts/check-input.ts";
import { clientEvents } from "#shared/contracts/client-events.ts";
import { DomainError, type FieldError } from "#shared/kernel/domain-error.ts";
import { noEngine } from "#shared/testing/service.ts";
import { allApis } from "./apis.ts";
import { exampleOf } from "./docs/example-of.ts";
import { describe as describeSchema } from "./docs/json-schema.ts";

/** Values of which each kind of field rejects some. */
const wrong = [undefined, null, "", "a", "x y!", "\u0000", "x".repeat(6000), "not-an-id", "2026-13-45"];
const wrongTypes = [-1, 1e12, 1.5, true, false, [], {}, ["a"], [{}]];

/** Words of Joi, or of regular expressions, that say no rule. */
const unhelpful = /pattern|with value|of type|scheme|valid (uri|email)|\[(true|object)|\bkeys?\b|^value\b|custom|fails/;

function problemsOf(schema: Joi.AnySchema, value: unknown): readonly FieldError[] {
  try {
    checkInput(schema, value);
    return [];
  } catch (error) {
    if (error instanceof DomainError) return error.details ?? [];
    throw error;
  }
}

const inputs = new Map<string, Joi.AnySchema>();
for (const { basePath, routes } of allApis({ actors: noEngine }))
  for (const { method, path, params, query, body } of routes)
    for (const [part, schema] of Object.entries({ params, query, body }))
      if (schema) inputs.set(`the ${part} of ${method} ${basePath}${path}`, schema);
for (const [event, { payload }] of Object.entries(clientEvents)) inputs.set(`the payload of ${event}`, payload);

describe("the message of an invalid input", () => {
  for (const [name, schema] of inputs)
    it(`states the rule once: ${name}`, () => {
      const example = exampleOf(schema) as object;
      const fields = Object.keys(describeSchema(schema).keys ?? example);
      const values = fields.flatMap((field) =>
        [...wrong, ...wrongTypes].map((value) => ({ ...example, [field]: value })),
      );

      for (const value of [...values, [], "text", null]) {
        const problems = problemsOf(schema, value);
        const named = problems.map(({ field }) => field);
        // The fields' own names may contain such words, and so may the values that a field accepts.
        const rules = problems.map(({ field, message }) =>
          message.replace(field, "").replace(field.split(".").at(-1)!, ""),
        );
        expect(rules.filter((rule) => unhelpful.test(rule.replace(/must be one of .*/, "")))).to.deep.equal([]);
        expect(named, JSON.stringify(problems)).to.deep.equal([...new Set(named)]);
      }
    });
});
