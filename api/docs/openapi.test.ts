import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import Joi from "joi";
import { id, integer, object, optional } from "#shared/contracts/fields.ts";
import { games } from "#shared/domain/games/games.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { type Route, route } from "../http/route.ts";
import { socialApi } from "../social-api.ts";
import { type OpenApi, type Operation, openApi } from "./openapi.ts";

const api = socialApi({ actors: noEngine });
const { routes } = api;

const operationsOf = ({ paths }: OpenApi): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

describe("the OpenAPI document", () => {
  const service = useService();

  it("is valid, and is what the service serves", async () => {
    const response = await fetch(`${service.url}/openapi.json`);
    expect(response.headers.get("content-type")).to.match(/^application\/json/);
    const document = (await response.json()) as OpenApi;
    const result = await new Validator().validate(structuredClone(document) as Record<string, unknown>);
    expect(result.errors ?? []).to.deep.equal([]);
    expect(result.valid).to.equal(true);
    expect(document.openapi).to.equal("3.1.0");
    expect(operationsOf(document)).to.have.length(routes.length);
  });

  it("gives every operation a name of its own, a success with an example, and failures", async () => {
    const operations = operationsOf(await openApi(api, "1"));
    const names = operations.map(({ operationId }) => operationId);
    expect(names).to.deep.equal([...new Set(names)]);
    for (const { operationId, responses } of operations) {
      const success = responses["200"] ?? responses["201"];
      expect(success, operationId).to.have.nested.property("content.application/json.example.data");
      expect(responses, operationId).to.include.keys("429", "500", "503");
    }
  });

  it("says of every game its rules, what is on its board and what its actions need", async () => {
    const schemas = (await openApi(api, "1")).components.schemas as Record<string, { anyOf?: object[] }>;
    for (const game of ["Ludo", "SnakesAndLadders", "Trivia", "Memory", "TruthOrDare"])
      expect(schemas[`${game}Session`], game).to.have.nested.property("properties.board.properties");
    const described = Object.values(schemas).map((schema) => (schema as { description?: string }).description);
    for (const { meta } of games.values()) expect(described).to.include(meta.description);
    expect(schemas.LudoSession).to.have.nested.property("properties.board.properties.safe_squares.items.maximum", 51);
    expect(schemas.TriviaSession).to.have.nested.property("properties.you.properties.answer");
    const [roll, move] = schemas.LudoAction!.anyOf!;
    expect(roll).to.deep.include({ properties: { kind: { type: "string", enum: ["roll"] } }, required: ["kind"] });
    expect(move).to.have.deep.property("required", ["kind", "piece"]);
  });

  it("leaves the event loop to others while it is made", async () => {
    let turns = 0;
    const making = openApi(api, "1");
    const counting = setImmediate(function count() {
      turns += 1;
      if (turns < routes.length) setImmediate(count);
    });
    await making;
    clearImmediate(counting);
    expect(turns).to.be.at.least(routes.length - 1);
  });

  it("says of an operation what its entry says", async () => {
    const entry: Route = route({
      method: "post",
      path: "/rooms/:id/gifts",
      tag: "Gifts",
      summary: "Give",
      auth: "user",
      idempotent: true,
      extension: true,
      status: 201,
      rateLimit: { points: 5, seconds: 10, by: "user" },
      params: object({ id: id() }),
      query: object({ quiet: optional(Joi.boolean()) }),
      body: object({ quantity: integer(1, 9, 3).description("How many.") }),
      response: Joi.object({ total: integer(0, 9, 6) }),
      errors: ["INSUFFICIENT_BALANCE", "NOT_A_MEMBER", "BLOCKED"],
      handler: async () => ({ total: 6 }),
    });
    const { paths, components } = await openApi({ ...api, routes: [entry] }, "1");
    const operation = paths["/rooms/{id}/gifts"]!.post!;
    expect(operation).to.deep.include({
      operationId: "postRoomsByIdGifts",
      tags: ["Gifts"],
      security: [{ bearer: [] }],
      "x-extension": true,
    });
    expect(operation.description).to.include("Rate limit: 5 requests in 10 s per user");
    const { parameters } = operation as { parameters?: { name?: string; $ref?: string }[] };
    expect(parameters?.map(({ name, $ref }) => name ?? $ref)).to.deep.equal([
      "id",
      "quiet",
      "#/components/parameters/IdempotencyKey",
    ]);
    const body = "requestBody.content.application/json";
    expect(operation).to.have.nested.property(`${body}.schema.properties.quantity.description`, "How many.");
    expect(operation).to.have.deep.nested.property(`${body}.example`, { quantity: 3 });
    expect(operation.responses["201"]).to.have.deep.nested.property("content.application/json.example", {
      success: true,
      data: { total: 6 },
    });
    const codesOf = (status: number) =>
      Object.keys(
        (operation.responses[status] as { content: Record<string, { examples: object }> }).content["application/json"]!
          .examples,
      );
    expect(codesOf(400)).to.deep.equal(["VALIDATION_ERROR", "MALFORMED_JSON"]);
    expect(codesOf(402)).to.deep.equal(["INSUFFICIENT_BALANCE"]);
    expect(codesOf(403)).to.deep.equal(["ACCOUNT_SUSPENDED", "NOT_A_MEMBER", "BLOCKED"]);
    expect(codesOf(409)).to.deep.equal(["IDEMPOTENCY_CONFLICT"]);
    expect(codesOf(503)).to.deep.equal(["ENGINE_UNAVAILABLE", "MAINTENANCE"]);
    expect(components.examples).to.include.keys(...codesOf(503));
  });
});
