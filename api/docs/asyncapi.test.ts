import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { CloseCode } from "@colyseus/core";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { expect } from "chai";
import { type ClientEvent, clientEvents, errorCodesOfEvent } from "#shared/contracts/client-events.ts";
import { closeCodes } from "#shared/contracts/close-codes.ts";
import { type ServerEvent, serverEvents } from "#shared/contracts/events.ts";
import { useService } from "#shared/testing/service.ts";
import type { AsyncApi, Operation } from "./asyncapi.ts";
import { transports } from "./asyncapi-transports.ts";

/**
 * The schema of AsyncAPI 3.0 is of draft-07 and carries that draft's own schema along, which Ajv would know twice:
 * hence no `meta`, and schemas that are not checked themselves.
 */
async function compileSpecification() {
  const file = fileURLToPath(import.meta.resolve("@asyncapi/specs/schemas/3.0.0.json"));
  const ajv = new Ajv({ meta: false, validateSchema: false, strict: false, allErrors: true });
  addFormats.default(ajv);
  return ajv.compile(JSON.parse(await readFile(file, "utf8")));
}

/** Keywords that AsyncAPI's own schemas, of draft-07, do not have: tools would pass them over without a word. */
const laterKeywords = ["dependentRequired", "dependentSchemas", "prefixItems", "unevaluatedProperties", "$defs"];

function* valuesIn(value: unknown): Generator<object> {
  if (value === null || typeof value !== "object") return;
  yield value;
  for (const member of Object.values(value)) yield* valuesIn(member);
}

const lookUp = (document: unknown, ref: string): unknown =>
  ref
    .slice(2)
    .split("/")
    .reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);

describe("the AsyncAPI document", () => {
  const service = useService();
  let document: AsyncApi;
  before(async () => {
    const response = await fetch(`${service.url}/asyncapi.json`);
    expect(response.headers.get("content-type")).to.match(/^application\/json/);
    document = (await response.json()) as AsyncApi;
  });

  it("is valid AsyncAPI 3.0, and the check would say if it were not", async () => {
    const validate = await compileSpecification();
    validate(document);
    expect(validate.errors ?? []).to.deep.equal([]);
    for (const broken of [
      { ...document, asyncapi: "2.6.0" },
      { ...document, info: { version: "1" } },
      { ...document, channels: { events: { adress: "/" } } },
      { ...document, operations: { ask: { action: "publish", channel: { $ref: "#/channels/socketIo" } } } },
    ])
      expect(validate(broken), JSON.stringify(broken).slice(0, 60)).to.equal(false);
  });

  it("refers to nothing that is not there", () => {
    const refs = [...valuesIn(document)].flatMap((value) => ("$ref" in value ? [String(value.$ref)] : []));
    expect(refs.length).to.be.greaterThan(100);
    expect(refs.filter((ref) => lookUp(document, ref) === undefined)).to.deep.equal([]);
  });

  it("says of every game what is on its board and what its actions need", () => {
    for (const game of ["Ludo", "SnakesAndLadders", "Trivia", "Memory", "TruthOrDare"])
      expect(document.components.schemas).to.include.keys(`${game}Session`, `${game}Board`);
  });

  it("names where the service is reached", () => {
    expect(Object.keys(document.servers)).to.deep.equal(Object.keys(transports));
    for (const server of Object.values(document.servers))
      expect(server).to.deep.include({ host: new URL(service.url).host, protocol: "ws" });
  });

  it("has payloads that its examples fit, in words of the draft that AsyncAPI reads", () => {
    const { components } = document;
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: "document", components });
    for (const [key, { examples }] of Object.entries(components.messages)) {
      const validate = ajv.compile({ $ref: `document#/components/messages/${key}/payload` });
      expect(examples.length, key).to.be.greaterThan(0);
      for (const { name, payload: example } of examples) {
        validate(example);
        expect(validate.errors ?? [], `${key}: ${name}`).to.deep.equal([]);
      }
    }
    const used = [...valuesIn(components)].flatMap(Object.keys);
    expect(used.filter((keyword) => laterKeywords.includes(keyword))).to.deep.equal([]);
  });

  const messageOf = (operation: Operation, part: Operation["reply"] = operation) =>
    lookUp(
      document,
      (lookUp(document, part!.messages[0]!.$ref) as { $ref: string }).$ref,
    ) as AsyncApi["components"]["messages"][string];

  for (const [name, { prefix }] of Object.entries(transports)) {
    const operations = (action: "receive" | "send") =>
      Object.entries(document.operations)
        .filter(([, { channel, action: does }]) => channel.$ref === `#/channels/${name}` && does === action)
        .map(([key, operation]) => {
          expect(key.startsWith(prefix)).to.equal(true);
          return operation;
        });

    it(`takes every event of the table by ${name}, and answers it`, () => {
      const taken = operations("receive");
      expect(taken.map((operation) => messageOf(operation).name)).to.have.members(Object.keys(clientEvents));
      for (const operation of taken) {
        const event = messageOf(operation).name as ClientEvent;
        expect(operation).to.include({ "x-by": clientEvents[event].by, summary: clientEvents[event].summary });
        const codes = messageOf(operation, operation.reply).examples.map(({ name: code }) => code);
        expect(codes).to.have.members(["success", ...errorCodesOfEvent(event)]);
      }
    });

    it(`sends every event of the table by ${name}`, () => {
      const sent = operations("send");
      expect(sent.map((operation) => messageOf(operation).name)).to.have.members(Object.keys(serverEvents));
      for (const operation of sent) {
        const event = messageOf(operation).name as ServerEvent;
        expect(operation).to.include({ "x-to": serverEvents[event].to, summary: serverEvents[event].summary });
      }
    });
  }

  it("explains every close code of native connections, Colyseus' own included", () => {
    const codes = [...Object.values(CloseCode), ...Object.values(closeCodes)];
    const { description } = transports.colyseus;
    expect(codes.filter((code) => !description.includes(` ${code} (`))).to.deep.equal([]);
  });
});
