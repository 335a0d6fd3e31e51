import { expect } from "chai";
import { isId, timeOfId } from "#shared/kernel/ids.ts";
import { noEngine } from "#shared/testing/service.ts";
import { socialApi } from "../social-api.ts";
import { asyncApi } from "./asyncapi.ts";
import { openApi } from "./openapi.ts";

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
  let resources: Resource[];
  before(async () => {
    const documents = [await openApi(socialApi({ actors: noEngine })), asyncApi("https://api.example.com")];
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
});
