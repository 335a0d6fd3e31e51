import type { ActionSpec } from "#shared/contracts/actions.ts";
import { blockRules } from "#shared/contracts/block-rules.ts";
import { type ClientEvent, clientEvents, errorCodesOfEvent } from "#shared/contracts/client-events.ts";
import type { Topic } from "#shared/contracts/domain-events.ts";
import { eventTopics, kindOf } from "#shared/contracts/event-data.ts";
import type { EventSpec } from "#shared/contracts/event-spec.ts";
import { type ServerEvent, serverEvents } from "#shared/contracts/events.ts";
import { type ErrorCode, errorCodes } from "#shared/kernel/error-codes.ts";
import { pascalCase } from "#shared/kernel/pascal-case.ts";
import { docUrlOf } from "#shared/kernel/public-address.ts";
import manifest from "../../package.json" with { type: "json" };
import { principles, type Transport, type TransportName, transports } from "./asyncapi-transports.ts";
import { failureSchema, successSchema } from "./envelope-schemas.ts";
import { schemaOfKind } from "./event-kinds.ts";
import { exampleOf, examplesOf } from "./example-of.ts";
import { type JsonSchema, type NamedSchemas, nameOf, publishedAs, toJsonSchema, withName } from "./json-schema.ts";

/** An AsyncAPI 3.0 document. Its schemas are JSON Schema draft-07, AsyncAPI's default. */
export interface AsyncApi {
  asyncapi: string;
  info: { title: string; version: string; description: string; license: { name: string } };
  servers: Record<string, object>;
  channels: Record<string, { messages: Record<string, Reference>; [field: string]: unknown }>;
  operations: Record<string, Operation>;
  components: { messages: Record<string, Message>; schemas: Record<string, JsonSchema>; securitySchemes: object };
  [field: string]: unknown;
}

export interface Reference {
  $ref: string;
}

export interface Message {
  name: string;
  summary: string;
  payload: JsonSchema;
  examples: { name: string; payload: unknown }[];
  [field: string]: unknown;
}

/** `action` is from the server's point of view: it receives what clients send. */
export interface Operation {
  action: "receive" | "send";
  channel: Reference;
  messages: Reference[];
  reply?: { channel: Reference; messages: Reference[] };
  [field: string]: unknown;
}

/** Names a message in the document, and the event on the page: keys must not contain a colon. */
export const keyOf = (kind: "request" | "reply" | "push", event: string) => `${kind}.${event.replaceAll(":", ".")}`;
const names = <K extends string>(table: Record<K, unknown>) => Object.keys(table) as K[];

/**
 * Generates the document of all realtime events, in both directions and over both transports, from the tables that
 * serve them.
 * @param address the public URL of the service, `https://…`
 */
export function asyncApi(address: string): AsyncApi {
  const named: NamedSchemas = new Map();
  const messages: Record<string, Message> = {};
  for (const event of names(clientEvents)) {
    messages[keyOf("request", event)] = requestMessage(event, named);
    messages[keyOf("reply", event)] = replyMessage(event, named);
  }
  for (const event of names(serverEvents)) messages[keyOf("push", event)] = pushMessage(event, named);
  const live = Object.keys(messages);
  for (const kind of eventTopics) messages[webhookKey(kind)] = webhookMessage(kind, named);
  const all = names(transports);
  const { version, license } = manifest;
  const { host, protocol } = new URL(address);
  return {
    asyncapi: "3.0.0",
    info: { title: "Hubbub", version, description: principles.join("\n\n"), license: { name: license } },
    defaultContentType: "application/json",
    servers: Object.fromEntries(
      all.map((name) => [name, serverOf(transports[name], name, host, protocol === "https:")]),
    ),
    channels: {
      ...Object.fromEntries(all.map((name) => [name, channelOf(transports[name], name, live)])),
      webhooks: webhookChannel,
    },
    operations: Object.assign({}, ...all.map((name) => operationsOf(transports[name], name)), webhookOperations),
    components: {
      messages,
      // AsyncAPI's discriminators hold names of schemas, ours hold values: the constants in each choice say the same.
      schemas: Object.fromEntries([...named].map(([name, { discriminator: _ours, ...schema }]) => [name, schema])),
      securitySchemes: Object.fromEntries(all.map((name) => [name, transports[name].security])),
    },
  };
}

function requestMessage(event: ClientEvent, named: NamedSchemas): Message {
  const { payload, summary, description }: ActionSpec = clientEvents[event];
  return {
    ...heading(event, summary, description),
    payload: toJsonSchema(withName(payload, `${pascalCase(event)}Payload`), "input", named),
    examples: examplesOf(payload).map(({ name, value }) => ({ name, payload: value })),
  };
}

/** The acknowledgement: the envelope of the REST API. */
function replyMessage(event: ClientEvent, named: NamedSchemas): Message {
  const { reply }: ActionSpec = clientEvents[event];
  const name = pascalCase(event);
  const codes = errorCodesOfEvent(event);
  const data = toJsonSchema(withName(reply, `${name}Data`), "output", named);
  const schemas = [
    successSchema(publishedAs(data)).meta({ name: `${nameOf(reply) ?? name}Response` }),
    failureSchema(codes).meta({ name: `${name}Failure` }),
  ];
  return {
    ...heading(event, "The reply: the result or an error"),
    payload: { oneOf: schemas.map((schema) => toJsonSchema(schema, "output", named)) },
    examples: [
      { name: "success", payload: { success: true, data: exampleOf(reply) } },
      ...codes.map((code) => ({ name: code, summary: errorCodes[code].meaning, payload: failureExample(code) })),
    ],
  };
}

function pushMessage(event: ServerEvent, named: NamedSchemas): Message {
  const { payload, summary, description }: EventSpec = serverEvents[event];
  return {
    ...heading(event, summary, description),
    payload: toJsonSchema(withName(payload, `${pascalCase(event)}Event`), "output", named),
    examples: [{ name: "example", payload: exampleOf(payload) }],
  };
}

const webhookKey = (kind: Topic) => `webhook.${kind}`;

function webhookMessage(kind: Topic, named: NamedSchemas): Message {
  const { summary, version, key } = kindOf(kind);
  const schema = schemaOfKind(kind);
  return {
    ...heading(kind, summary, `Version ${version}. In order for each \`${key}\`.`),
    payload: toJsonSchema(schema, "output", named),
    examples: [{ name: "example", payload: exampleOf(schema) }],
  };
}

const webhookChannel = {
  address: null,
  title: "Webhooks of the operator",
  summary: "What the event endpoints and sinks of the operator receive.",
  description:
    "Posted to the addresses of the operator's servers, signed as the Standard Webhooks specification says. Apps don't receive it.",
  messages: Object.fromEntries(
    eventTopics.map((kind) => [webhookKey(kind), { $ref: `#/components/messages/${webhookKey(kind)}` }]),
  ),
};

const webhookOperations: Record<string, Operation> = Object.fromEntries(
  eventTopics.map((kind) => [
    webhookKey(kind),
    {
      action: "send",
      channel: { $ref: "#/channels/webhooks" },
      title: kind,
      summary: kindOf(kind).summary,
      messages: [{ $ref: `#/channels/webhooks/messages/${webhookKey(kind)}` }],
    },
  ]),
);

const heading = (event: string, summary: string, description?: string) => ({
  name: event,
  title: event,
  summary,
  ...(description && { description }),
  contentType: "application/json",
  tags: [{ name: event.split(/[:.]/)[0]! }],
});

function failureExample(code: ErrorCode): object {
  const details = [{ field: "room_id", message: "room_id is required" }];
  const error = { code, message: errorCodes[code].meaning, doc_url: docUrlOf(code) };
  return { success: false, error: code === "VALIDATION_ERROR" ? { ...error, details } : error };
}

function serverOf(transport: Transport, name: TransportName, host: string, secure: boolean): object {
  const { title, summary, description, pathname, protocol, protocolVersion } = transport;
  const security = [{ $ref: `#/components/securitySchemes/${name}` }];
  return { host, pathname, protocol: protocol(secure), protocolVersion, title, summary, description, security };
}

function channelOf(transport: Transport, name: TransportName, keys: readonly string[]): AsyncApi["channels"][string] {
  const { title, summary, address, parameters } = transport;
  return {
    address,
    title,
    summary,
    servers: [{ $ref: `#/servers/${name}` }],
    ...(parameters && { parameters }),
    messages: Object.fromEntries(keys.map((key) => [key, { $ref: `#/components/messages/${key}` }])),
  };
}

function operationsOf({ prefix }: Transport, name: TransportName): Record<string, Operation> {
  const channel = { $ref: `#/channels/${name}` };
  const message = (key: string) => ({ $ref: `#/channels/${name}/messages/${key}` });
  const asks = names(clientEvents).map((event): [string, Operation] => {
    const { summary, description = "", by, blocks = "none", origin }: ActionSpec = clientEvents[event];
    return [
      prefix + keyOf("request", event),
      {
        action: "receive",
        channel,
        title: event,
        summary,
        description: `${description} Allowed for ${by}. ${blockRules[blocks].text}`.trim(),
        messages: [message(keyOf("request", event))],
        reply: { channel, messages: [message(keyOf("reply", event))] },
        "x-by": by,
        ...(origin === "extension" && { "x-extension": true }),
      },
    ];
  });
  const pushes = names(serverEvents).map((event): [string, Operation] => {
    const { summary, description = "", to, origin }: EventSpec = serverEvents[event];
    return [
      prefix + keyOf("push", event),
      {
        action: "send",
        channel,
        title: event,
        summary,
        description: `${description} Sent to ${to}.`.trim(),
        messages: [message(keyOf("push", event))],
        "x-to": to,
        ...(origin === "extension" && { "x-extension": true }),
      },
    ];
  });
  return Object.fromEntries([...asks, ...pushes]);
}
