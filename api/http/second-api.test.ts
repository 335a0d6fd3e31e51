import { expect } from "chai";
import express from "express";
import { inputCheck } from "#shared/contracts/check-input.ts";
import { listOf, object, text, union } from "#shared/contracts/fields.ts";
import { type KeyHolderPrincipal, principalId } from "#shared/contracts/principal.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { describeRoutes } from "#shared/testing/describe-routes.ts";
import { clientOf, noEngine } from "#shared/testing/service.ts";
import { useApp } from "#shared/testing/use-app.ts";
import { openApi } from "../docs/openapi.ts";
import { socialApi } from "../social-api.ts";
import type { Api } from "./api.ts";
import { mount } from "./mount.ts";
import { makeRateLimits } from "./rate-limit.ts";
import { parseBy } from "./read-body.ts";
import { route } from "./route.ts";

const tokens = new Map<string | undefined, KeyHolderPrincipal>([
  ["opaque-1", { kind: "key_holder", keyId: "key 1", userId: "user 1" }],
  ["opaque-2", { kind: "key_holder", keyId: "key 2", userId: "user 1" }],
]);

const entry = { tag: "Notes", auth: "key_holder", response: text(1, 100).meta({ name: "Note" }) } as const;

const getOwner = route({
  ...entry,
  id: "getOwner",
  summary: "Get the owner",
  method: "get",
  path: "/owner",
  handler: async ({ caller }) => caller.keyId,
});
const addNote = route({
  ...entry,
  id: "addNote",
  summary: "Add a note",
  method: "post",
  path: "/notes",
  body: object({ note: text(1, 100) }).meta({ name: "AddNoteBody" }),
  handler: async ({ body }) => body.note,
});
const getLimited = route({
  ...entry,
  id: "getLimited",
  summary: "Get a limited note",
  method: "get",
  path: "/limited",
  rateLimit: { points: 1, seconds: 60, by: "key_holder" },
  handler: async ({ caller }) => caller.keyId,
});
const failing = route({
  ...entry,
  id: "getFailing",
  summary: "Fail a call",
  method: "get",
  path: "/failing",
  handler: () => Promise.reject(new Error("a secret of the database")),
});

/** A second API, which differs from the first in everything that an API may differ in. */
const notes: Api = {
  basePath: "/notes-api",
  routes: [getOwner, addNote, getLimited, failing],
  assertOpen: () => {},
  authenticate: async ({ headers }) => tokens.get(headers.authorization) ?? null,
  credentials: {
    name: "apiKey",
    scheme: { type: "apiKey", in: "header", name: "Authorization" },
    challenge: 'ApiKey realm="notes"',
    headersOf: (token) => ({ authorization: token }),
  },
  rateLimits: {
    defaults: { anyone: { points: 9, seconds: 60, by: "ip" }, caller: { points: 99, seconds: 60, by: "key_holder" } },
    keyOf: principalId,
  },
  bodies: parseBy({ form: express.urlencoded({ extended: false, limit: "1kb" }) }),
  checkInput: inputCheck(({ type, path, message }) =>
    type === "any.required" ? `The ${path.join(" ")} field is required.` : `The ${message}.`,
  ),
  envelope: {
    success: (message) => ({ status: "success", message }),
    successSchema: (message) => object({ status: text(1, 9), message }),
    failure: ({ code, status, message, details }) => ({
      status: code === "VALIDATION_ERROR" ? 422 : status,
      body: { status: "failed", errors: details?.map((fault) => fault.message) ?? message },
    }),
    failureSchema: () => object({ status: text(1, 9), errors: union(text(1, 100), listOf(text(1, 100))) }),
  },
  document: {
    title: "Notes",
    file: "notes.openapi.json",
    introduction: "An example.",
    tags: { Notes: "What users write down." },
  },
};

const hello = route({
  ...entry,
  id: "sayHello",
  summary: "Say hello",
  auth: "anyone",
  method: "post",
  path: "/hello",
  handler: async () => "Hello",
});
const social: Api = { ...socialApi({ actors: noEngine }), routes: [hello] };

describe("a second API", () => {
  const limits = makeRateLimits({ enabled: true });
  const app = express();
  for (const api of [social, notes]) app.use(api.basePath, mount(api, limits));
  const served = useApp(app);

  const ask = (method: string, path: string, body?: unknown, token = "opaque-1") =>
    clientOf(served.url, notes)(method, path, { token, ...(body !== undefined && { body }) });
  const askSocial = (path: string, options = {}) => clientOf(served.url, social)("post", path, options);

  describe("without limits", () => {
    const unlimited = useApp(express().use(notes.basePath, mount(notes, makeRateLimits({ enabled: false }))));
    describeRoutes(notes, {
      call: (...call) => clientOf(unlimited.url, notes)(...call),
      token: async () => "opaque-1",
    });
  });

  it("answers in its own envelope", async () => {
    const { status, body } = await ask("get", "/owner");

    expect([status, body]).to.deep.equal([200, { status: "success", message: "key 1" }]);
  });

  it("authenticates in its own way", async () => {
    for (const token of ["opaque-3", "Bearer opaque-1"])
      expect((await ask("get", "/owner", undefined, token)).status).to.equal(401);
  });

  it("parses its own kind of bodies, up to its own size", async () => {
    const taken = await ask("post", "/notes", { note: "Milk" });
    const json = await clientOf(served.url, notes)("post", "/notes", {
      token: "opaque-1",
      headers: { "content-type": "application/json" },
      body: { note: "Milk" },
    });
    const large = await ask("post", "/notes", new URLSearchParams({ note: "x".repeat(2000) }));

    expect(taken.body.message).to.equal("Milk");
    expect([json.status, json.body.status]).to.deep.equal([415, "failed"]);
    expect([large.status, large.body.status]).to.deep.equal([413, "failed"]);
  });

  it("says in its own form what is wrong with an input", async () => {
    const missing = await ask("post", "/notes", new URLSearchParams());
    const invalid = await ask("post", "/notes", new URLSearchParams({ note: "x".repeat(101) }));

    expect([missing.status, missing.body]).to.deep.equal([
      422,
      { status: "failed", errors: ["The note field is required."] },
    ]);
    expect([invalid.status, invalid.body.errors]).to.deep.equal([422, ["The note must have at most 100 characters."]]);
  });

  it("answers its own 404 below its base path, and its own errors", async () => {
    const missing = await ask("get", "/nowhere");
    const failed = await ask("get", "/failing");

    expect([missing.status, missing.body]).to.deep.equal([
      404,
      { status: "failed", errors: "GET /notes-api/nowhere doesn't exist." },
    ]);
    expect([failed.status, failed.body]).to.deep.equal([
      500,
      { status: "failed", errors: new DomainError("INTERNAL_ERROR").message },
    ]);
  });

  it("documents its own security scheme and content types", async () => {
    const { components, paths } = await openApi(notes);
    const operation = paths["/notes"]!.post!;

    expect(components.securitySchemes).to.deep.equal({ apiKey: notes.credentials.scheme });
    expect(operation.security).to.deep.equal([{ apiKey: [] }]);
    expect(operation).to.have.nested.property("requestBody.content.application/x-www-form-urlencoded");
  });

  it("counts by its own keys", async () => {
    const first = await ask("get", "/limited");
    const again = await ask("get", "/limited");
    const otherKey = await ask("get", "/limited", undefined, "opaque-2");

    expect([first.status, again.status, otherKey.status]).to.deep.equal([200, 429, 200]);
    expect(again.headers.get("retry-after")).to.match(/^\d+$/);
  });

  it("leaves the first as it is", async () => {
    const greeted = await askSocial("/hello", { headers: { authorization: "opaque-1" } });
    const missing = await askSocial("/notes");
    const form = await askSocial("/hello", { body: new URLSearchParams({ note: "Milk" }) });

    expect(greeted.body).to.deep.equal({ success: true, data: "Hello" });
    expect([missing.status, missing.body.error.code]).to.deep.equal([404, "NOT_FOUND"]);
    expect([form.status, form.body.error.code]).to.deep.equal([415, "UNSUPPORTED_MEDIA_TYPE"]);
  });
});
