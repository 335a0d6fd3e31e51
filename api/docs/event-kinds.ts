import type { Topic } from "#shared/contracts/domain-events.ts";
import { kindOf } from "#shared/contracts/event-data.ts";
import { object, oneOf, time } from "#shared/contracts/fields.ts";
import { pascalCase } from "#shared/kernel/pascal-case.ts";
import { exampleOf } from "./example-of.ts";
import { toJsonSchema, withName } from "./json-schema.ts";

const bodyOf = (topic: Topic) =>
  object({ type: oneOf(topic), timestamp: time("2026-01-31T12:00:00.123Z"), data: object(kindOf(topic).fields) });

/** Returns the schema of what endpoints receive of a kind, with its name. */
export const schemaOfKind = (topic: Topic) => withName(bodyOf(topic), `${pascalCase(topic)}Webhook`);

/** Returns the JSON Schema and an example of what endpoints receive of a kind. */
export const describedKind = (topic: Topic): { schema: object; example: object } => ({
  schema: toJsonSchema(bodyOf(topic), "output", new Map()),
  example: exampleOf(bodyOf(topic)),
});
