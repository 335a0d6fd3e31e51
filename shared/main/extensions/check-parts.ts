import Joi from "joi";
import type { Parts } from "#shared/extension/define.ts";
import type { ExtensionRoute } from "#shared/extension/routes.ts";
import { languages } from "#shared/kernel/languages.ts";
import { gameSchema, schema } from "./check-games.ts";

const work = Joi.function();
const sentence = Joi.string().min(3).max(2000);
/** `named`: what names are, for those that aren't. */
const mapOf = (name: RegExp | Joi.Schema, value: Joi.Schema, named = "") =>
  Joi.object()
    .pattern(name, value)
    .max(200)
    .messages(named ? { "object.unknown": `{{#label}} is not allowed: ${named}` } : {});

const routeFields = {
  id: Joi.string()
    .pattern(/^[a-z][A-Za-z0-9]{2,60}$/)
    .required(),
  method: Joi.valid("get", "post", "put", "patch", "delete").required(),
  summary: sentence.required(),
  description: sentence,
  params: schema,
  query: schema,
  body: schema,
  response: schema.required(),
  status: Joi.valid(200, 201),
  errors: Joi.array().items(Joi.string()),
  idempotent: Joi.valid(true),
  handler: work.required(),
  for: Joi.valid("users", "administrators").required(),
  permission: Joi.valid("read", "write"),
  audit: Joi.object({ action: Joi.string().required(), target: Joi.string().required() }),
};

const before = Joi.object({
  failure: Joi.valid("open", "closed").required(),
  deadlineMs: Joi.number().integer().min(1).max(5000),
  run: work.required(),
});
const hooks = (hook: Joi.Schema, more: Joi.PartialSchemaMap = {}) =>
  Joi.object({ operations: mapOf(/./, hook), actions: mapOf(/./, hook), ...more });

const action = Joi.object({
  ...{ payload: schema.required(), reply: schema.required(), errors: routeFields.errors },
  ...{ by: sentence.required(), summary: sentence.required(), description: sentence },
  ...{ prepare: work, decide: work.required() },
});

const event = Joi.object({
  ...{ payload: schema.required(), to: sentence.required(), summary: sentence.required(), description: sentence },
});

const kind = Joi.object({
  ...{ version: Joi.number().integer().min(1).required(), summary: sentence.required(), push: work },
  ...{ key: Joi.string().required(), fields: mapOf(/./, schema).min(1).required() },
}).custom((given, helpers) =>
  given.key in given.fields ? given : helpers.message({ custom: "{{#label}} has a key without a field" }),
);

const setting = Joi.object({
  ...{ schema: schema.required(), fallback: Joi.any().required(), description: sentence.required() },
}).custom((given, helpers) =>
  given.schema.validate(given.fallback).error
    ? helpers.message({ custom: "{{#label}} has a default that its schema refuses" })
    : given,
);

const columns = ["text", "integer", "bigint", "flag", "time", "uuid"];
const recordsNamed = (own: RegExp) =>
  Joi.object({
    ...{ table: Joi.string().pattern(own).required(), name: Joi.string().pattern(own).required() },
    ...{ one: sentence.required(), many: sentence.required(), defaults: Joi.object() },
    fields: mapOf(
      /^[a-z_]+$/,
      Joi.object({ column: Joi.valid(...columns).required(), schema: schema.required() }),
    ).required(),
    search: Joi.array().items(Joi.string()).required(),
    sorts: Joi.array().items(Joi.string()).min(1).required(),
  });

const job = Joi.object({ run: work.required(), cron: Joi.string(), retries: Joi.number().integer().min(0).max(20) });
const errorCode = Joi.object({
  status: Joi.number().integer().min(400).max(499).required(),
  ...{ meaning: sentence.required(), remedy: sentence.required() },
});

const workload = Joi.object({
  ...{ summary: sentence.required(), prepare: work, place: work.required(), act: work.required() },
  ...{ expected: routeFields.errors, invariants: mapOf(/./, sentence) },
});

const shortNames = "names here are of a-z and _";

/** What the parts of an extension with this name may be. Its names begin with its own. */
function partsSchema(name: string): Joi.ObjectSchema {
  const own = (separator: string) => new RegExp(`^${name}${separator}[a-z][a-z0-9_]{0,40}$`);
  const owned = (separator: string, value: Joi.Schema) =>
    mapOf(own(separator), value, `names here begin with \`${name}${separator.replace("\\", "")}\``);
  const path = new RegExp(`^/${name.replaceAll("_", "-")}(/[:a-z][a-z0-9_-]*)*$`);
  const short = /^[a-z][a-z_]{0,30}$/;
  return Joi.object({
    summary: sentence.required(),
    routes: Joi.array().items(Joi.object({ ...routeFields, path: Joi.string().pattern(path).required() })),
    before: hooks(before),
    after: hooks(work, { events: mapOf(/./, work), whileOff: Joi.array().items(Joi.string()) }),
    actions: owned(":", action),
    events: owned(":", event),
    publishes: owned("\\.", kind),
    settings: owned("_", setting),
    records: Joi.array().items(recordsNamed(own("_"))),
    jobs: mapOf(short, job, shortNames),
    games: Joi.array().items(gameSchema(name)).max(50),
    causes: mapOf(short, Joi.object({ title: sentence.required(), entries: sentence.required() }), shortNames),
    errors: mapOf(
      new RegExp(`^${name.toUpperCase()}_[A-Z][A-Z0-9_]{0,40}$`),
      errorCode,
      `codes here begin with \`${name.toUpperCase()}_\``,
    ),
    erase: work,
    exports: mapOf(/^[a-z][a-z-]{0,30}$/, sentence, "names here are of a-z and -"),
    workloads: mapOf(short, workload, shortNames),
    texts: mapOf(
      Joi.valid(...languages.slice(1)),
      mapOf(/./, Joi.string()),
      `texts are translated to ${languages.slice(1).join(", ")}`,
    ),
  }).label("The result");
}

/** Returns what a route lacks, or has too much. */
function problemOfRoute({ id, method, body, ...route }: ExtensionRoute): string | undefined {
  const isWrite = method !== "get";
  if (body && !isWrite) return `the route ${id} has a body and reads`;
  if (route.for === "users") return undefined;
  if (!route.permission) return `the route ${id} of administrators has no permission`;
  if (isWrite !== Boolean(route.audit))
    return `the route ${id} of administrators ${isWrite ? "lacks" : "has"} an audit rule`;
  return undefined;
}

/** Returns what is wrong with the parts of an extension, as the end of a sentence; undefined if nothing is. */
export function problemOfParts(name: string, parts: Parts): string | undefined {
  const { error } = partsSchema(name)
    .required()
    .validate(parts, { errors: { wrap: { label: "`" } }, convert: false });
  if (error) return error.message;
  const problem = (parts.routes ?? []).map(problemOfRoute).find(Boolean);
  if (problem) return problem;
  const unhandled = parts.after?.whileOff?.find((topic) => !Object.hasOwn(parts.after?.events ?? {}, topic));
  if (unhandled) return `\`after.whileOff\` names ${unhandled}, which it doesn't handle`;
  const ids = (parts.routes ?? []).map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  return twice && `two routes have the id ${twice}`;
}
