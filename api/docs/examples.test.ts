import { expect } from "chai";
import type { GameActionInput } from "#shared/contracts/game-actions.ts";
import { checkAction } from "#shared/domain/live/games/check-action.ts";
import { games } from "#shared/domain/live/games/games.ts";
import { isId, timeOfId } from "#shared/kernel/ids.ts";
import { noEngine } from "#shared/testing/service.ts";
import { socialApi } from "../social-api.ts";
import { asyncApi } from "./asyncapi.ts";
import { type OpenApi, openApi } from "./openapi.ts";

interface Resource {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** Returns all examples in a document. */
function examplesIn(part: unknown): unknown[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === "example" || key === "examples" ? [value] : examplesIn(value),
  );
}

/** Returns all objects with an ID in an example. */
function resourcesIn(part: unknown): Resource[] {
  if (typeof part !== "object" || part === null) return [];
  const within = Object.values(part).flatMap(resourcesIn);
  return isId((part as Resource).id) ? [part as Resource, ...within] : within;
}

describe("the examples of the documents", () => {
  let rest: OpenApi;
  const events = asyncApi("https://api.example.com");
  let resources: Resource[];
  before(async () => {
    rest = await openApi(socialApi({ actors: noEngine }));
    const documents = [rest, events];
    resources = documents.flatMap(examplesIn).flatMap(resourcesIn);
  });

  it("show each resource with the creation time that its ID contains", () => {
    const created = resources.filter(({ created_at }) => created_at !== undefined);

    expect(created.length).to.be.greaterThan(50);
    for (const { id, created_at } of created)
      expect(created_at, `created_at of ${id}`).to.equal(new Date(timeOfId(id)).toISOString());
  });

  it("show no resource that is changed, read, or finished before it is created", () => {
    const changes = resources.flatMap(({ id, ...fields }) =>
      Object.entries(fields).flatMap(([field, value]) =>
        /^(updated|read|paid|finished|last_used|expires)_at$/.test(field) && value !== null
          ? [{ id, field, atMs: Date.parse(String(value)) }]
          : [],
      ),
    );

    expect(changes.length).to.be.greaterThan(10);
    for (const { id, field, atMs } of changes) expect(atMs, `${field} of ${id}`).to.be.at.least(timeOfId(id));
  });

  describe("of actions in games", () => {
    const kinds = new Set([...games.values()].flatMap(({ actions }) => Object.keys(actions)));
    const gamesWith = (kind: string) => [...games.values()].filter(({ actions }) => kind in actions);
    /** Returns the examples of actions by their names, over REST and in events. */
    const documented = () => {
      const { requestBody } = rest.paths["/games/sessions/{id}/action"]!.post as unknown as {
        requestBody: { content: { "application/json": { examples: Record<string, { value: GameActionInput }> } } };
      };
      const { examples } = events.components.messages["request.game.action"]!;
      return {
        rest: Object.entries(requestBody.content["application/json"].examples).map(([name, { value }]) => [
          name,
          value,
        ]),
        events: examples.map(({ name, payload }) => [name, (payload as { action: GameActionInput }).action]),
      } as Record<string, [string, GameActionInput][]>;
    };

    it("show each kind of action once", () => {
      for (const [document, examples] of Object.entries(documented()))
        expect(
          examples.map(([name]) => name),
          document,
        ).to.have.members([...kinds]);
    });

    it("are accepted by each game that has the kind", () => {
      for (const [kind, action] of Object.values(documented()).flat()) {
        expect(action.kind).to.equal(kind);
        for (const game of gamesWith(kind)) checkAction(game, action);
      }
    });
  });
});
