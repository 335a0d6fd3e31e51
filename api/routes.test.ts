import { expect } from "chai";
import { buildUser } from "#shared/testing/factories.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { exampleOf } from "./docs/example-of.ts";
import { type Described, describe as describeSchema, nameOf as nameOfSchema } from "./docs/json-schema.ts";
import type { Route } from "./http/route.ts";
import { apiRoutes } from "./routes.ts";

/** What the contract names, and what we add for rooms. */
const documented = `
  post /auth/register          post /auth/login             post /auth/refresh          post /auth/logout
  post /auth/verify-email      post /auth/verify-mobile     post /auth/forgot-password  post /auth/reset-password
  post /auth/resend-verification                            get /auth/sessions          delete /auth/sessions/:id
  post /account/delete-request
  get /auth/me                 get /users/me                patch /users/me             get /users/:id
  get /users/search            get /users/online            post /users/:id/follow      delete /users/:id/follow
  post /users/:id/block        delete /users/:id/block      post /users/:id/report      post /reports
  get /users/me/blocked        get /users/me/followers      get /users/me/following     post /users/me/device
  patch /users/me/settings     get /friends                 delete /friends/:userId     get /friends/requests
  get /friends/requests/sent   post /friends/:userId/request
  post /friends/requests/:id/accept                         post /friends/requests/:id/reject
  delete /friends/requests/:id
  get /config/public           get /wallet                  get /wallet/transactions
  get /rooms                   post /rooms                  get /rooms/:id              patch /rooms/:id
  delete /rooms/:id            post /rooms/:id/join         post /rooms/:id/leave       get /rooms/:id/messages
  post /rooms/:id/gifts        post /rooms/:id/voice-token  post /rooms/:id/seat-request
  get /rooms/:id/seat-requests
  get /gifts                   get /gifts/transactions/sent get /gifts/transactions/received
  get /conversations           post /conversations          get /conversations/:id/messages
  post /conversations/:id/messages                          post /conversations/:id/read
  get /posts                   post /posts                  get /posts/:id              delete /posts/:id
  post /posts/:id/like         get /posts/:id/comments      post /posts/:id/comments
  delete /posts/:id/comments/:commentId                     get /users/:id/posts
  post /rooms/:id/kick         get /rooms/:id/bans          delete /rooms/:id/bans
  put /rooms/:id/members/:userId/role
  post /rooms/:id/seat-requests/:requestId/approve          post /rooms/:id/seat-requests/:requestId/reject
  delete /rooms/:id/messages/:messageId
`.match(/\w+ \/\S+/g)!;

/** Where the contract itself writes camelCase. */
const camelCase = new Set(["accessToken", "refreshToken", "wsUrl", "roomName", "providerPayload"]);
const snakeCase = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

const routes = apiRoutes({ actors: noEngine });
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const paramsIn = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);

/** A path that fits the route's params. */
function pathOf({ path, params }: Route): string {
  const examples = params ? (exampleOf(params) as Record<string, string>) : {};
  return path.replace(/:(\w+)/g, (_match, name: string) => examples[name] ?? "x");
}

function memberNames({ keys = {}, items = [], matches = [] }: Described): string[] {
  const below = [...Object.values(keys), ...items, ...matches.flatMap(({ schema }) => schema ?? [])];
  return [...Object.keys(keys), ...below.flatMap(memberNames)];
}

describe("the table of routes", () => {
  it("has every operation that the contract names", () => {
    const names = new Set(routes.map(nameOf));
    expect(documented.filter((name) => !names.has(name))).to.deep.equal([]);
  });

  it("has no operation twice", () => {
    const shapes = routes.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ":")}`);
    expect(shapes).to.deep.equal([...new Set(shapes)]);
  });

  it("has an id of its own for every operation", () => {
    const ids = routes.map(({ id }) => id);
    expect(ids).to.deep.equal([...new Set(ids)]);
  });

  for (const route of routes) {
    it(`names ${nameOf(route)} for generated clients`, () => {
      const { id, summary, body, response } = route;
      expect(id, "a verb and its object in camel case").to.match(/^[a-z]+([A-Z][a-z]+)+$/);
      expect(summary, "an imperative of two to five words, without a full stop").to.match(
        /^[A-Z]\S+( \S+){1,4}(?<!\.)$/,
      );
      if (body) expect(nameOfSchema(body), "the name of its body").to.be.a("string");
      const { items: [item] = [] } = describeSchema(response);
      const { metas = [] } = item ?? describeSchema(response);
      expect(metas.some(({ name }) => name)).to.equal(true);
    });

    it(`describes ${nameOf(route)}`, () => {
      const { tag, params, query, body, response, method, path } = route;
      expect(path).to.match(/^(\/([a-z]+(-[a-z]+)*|:[a-z]+(Id)?))+$/);
      expect(tag).to.match(/^[A-Z]/);
      expect(paramsIn(path)).to.have.members(Object.keys(params ? (describeSchema(params).keys ?? {}) : {}));
      if (["get", "delete"].includes(method)) expect(body).to.equal(undefined);
      const names = [query, body, response].flatMap((schema) => (schema ? memberNames(describeSchema(schema)) : []));
      expect(names.filter((name) => !snakeCase.test(name) && !camelCase.has(name))).to.deep.equal([]);
    });
  }

  it("honours an Idempotency-Key where coins move", () => {
    expect(routes.filter(({ idempotent }) => idempotent).map(nameOf)).to.include("post /rooms/:id/gifts");
    for (const route of routes) if (route.idempotent) expect(route.method).to.equal("post");
  });
});

describe("every route", () => {
  const service = useService();
  let token: string;
  before(async () => {
    token = (await buildUser()).token;
  });

  for (const route of routes) {
    const { method } = route;
    if (route.auth === "user") {
      it(`${nameOf(route)} answers 401 without a token, and to one that is none`, async () => {
        for (const options of [{}, { token: "not.a.token" }]) {
          const answer = await service.call(method, pathOf(route), options);
          expect([answer.status, answer.body.error.code]).to.deep.equal([401, "UNAUTHENTICATED"]);
          expect(answer.headers.get("www-authenticate")).to.equal("Bearer");
        }
      });
    }
    const { query } = route;
    if (query) {
      it(`${nameOf(route)} ignores an unknown member of the query`, async () => {
        const members = { ...(exampleOf(query) as Record<string, string>), a_stranger: "1" };
        const { body } = await service.call(method, `${pathOf(route)}?${new URLSearchParams(members)}`, { token });
        expect(body.error?.code).not.to.equal("VALIDATION_ERROR");
      });
    }
    if (method !== "get" && !route.rawBody) {
      it(`${nameOf(route)} refuses an unknown member of the body`, async () => {
        const example = route.body ? (exampleOf(route.body) as object) : {};
        const body = { ...example, a_stranger: 1 };
        const { status, body: answer } = await service.call(method, pathOf(route), { token, body });
        expect([status, answer.error.code]).to.deep.equal([400, "VALIDATION_ERROR"]);
        expect(answer.error.details.map(({ field }: { field: string }) => field)).to.include("a_stranger");
      });
    }
    if (paramsIn(route.path).includes("id")) {
      it(`${nameOf(route)} refuses an id that is none`, async () => {
        for (const id of ["1", "%27%20OR%201=1", "{0198f2a4-7c1e-7d3a-9b52-3f6f0c1d2e4a}"]) {
          const { status, body } = await service.call(method, pathOf(route).replace(/[0-9a-f-]{36}/, id), { token });
          expect([status, body.error.code], id).to.deep.equal([400, "VALIDATION_ERROR"]);
        }
      });
    }
  }
});

describe("every answer", () => {
  const service = useService();
  const post = (body: string, type = "application/json") =>
    service.call("post", "/auth/login", { headers: { "content-type": type }, body });
  const expectFailure = ({ status, body }: Awaited<ReturnType<typeof post>>, ...expected: [number, string]) => {
    expect([status, body.error.code]).to.deep.equal(expected);
    expect(body).to.have.all.keys("success", "error");
    expect(body.success).to.equal(false);
    expect(body.error.message).to.be.a("string").that.is.not.equal("");
  };

  it("is a MALFORMED_JSON to a body that is no JSON object", async () => {
    for (const body of ["{", "null", '"text"', "{'a': 1}", '{"a": 1} trailing']) {
      expectFailure(await post(body), 400, "MALFORMED_JSON");
    }
  });

  it("is a MALFORMED_JSON to a body that is not packed as it says", async () => {
    for (const encoding of ["gzip", "deflate", "br"]) {
      const headers = { "content-type": "application/json", "content-encoding": encoding };
      expectFailure(await service.call("post", "/auth/login", { headers, body: "{}" }), 400, "MALFORMED_JSON");
    }
  });

  it("is a 415 to a body of another type", async () => {
    for (const type of ["text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      expectFailure(await post("a=1", type), 415, "UNSUPPORTED_MEDIA_TYPE");
    }
    expectFailure(await post("{}", "application/json; charset=klingon"), 415, "UNSUPPORTED_MEDIA_TYPE");
  });

  it("is a 413 above 64 KB", async () => {
    expectFailure(await post(JSON.stringify({ identifier: "x".repeat(64 * 1024) })), 413, "PAYLOAD_TOO_LARGE");
    expectFailure(await post(JSON.stringify({ identifier: "x".repeat(60 * 1024) })), 400, "VALIDATION_ERROR");
  });

  it("is a 413 to a form of very many fields, and a 400 to a range that a file has not", async () => {
    const form = await fetch(`${service.url}/reset-password`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "a&".repeat(2000),
    });
    expect([form.status, await form.json()]).to.have.nested.property("[1].error.code", "PAYLOAD_TOO_LARGE");
    const range = await fetch(`${service.url}/docs/assets/docs.css`, { headers: { range: "bytes=999999-" } });
    expect([range.status, await range.json()]).to.have.nested.property("[1].error.code", "VALIDATION_ERROR");
  });

  it("is a 404 to an address, a method or an encoding that is none", async () => {
    expectFailure(await service.call("get", "/nowhere"), 404, "NOT_FOUND");
    expectFailure(await service.call("delete", "/auth/login"), 404, "NOT_FOUND");
    expectFailure(await service.call("get", "/users/%E0%A4%A"), 404, "NOT_FOUND");
    const outside = await fetch(`${service.url}/nowhere`);
    expect([outside.status, await outside.json()]).to.have.nested.property("[1].error.code", "NOT_FOUND");
  });

  it("is compressed when it is large", async () => {
    const encodingOf = async (path: string) => (await service.call("get", path)).headers.get("content-encoding");
    expect(await encodingOf("/settings/privacy")).to.be.oneOf(["br", "gzip"]);
    expect(await encodingOf("/config/public")).to.equal(null);
  });

  it("is to be shown in no page and no frame, and taken for nothing but JSON", async () => {
    for (const path of ["/config/public", "/users/me", "/nowhere"]) {
      const { headers } = await service.call("get", path);
      expect(headers.get("content-type")).to.equal("application/json; charset=utf-8");
      expect(headers.get("x-content-type-options")).to.equal("nosniff");
      expect(headers.get("strict-transport-security")).to.match(/^max-age=\d{7}/);
      expect(headers.get("content-security-policy")).to.match(/default-src '(none|self)'/);
    }
  });

  it("carries X-Request-Id: the caller's if it is harmless, a new one otherwise", async () => {
    const idFor = async (given: string) =>
      (await service.call("get", "/config/public", { headers: { "x-request-id": given } })).headers.get("x-request-id");
    expect(await idFor("trace-17.a")).to.equal("trace-17.a");
    for (const harmful of ["a b", "x".repeat(65), '"}{"']) {
      expect(await idFor(harmful)).to.match(/^[0-9a-f-]{36}$/);
    }
    expect((await service.call("get", "/nowhere")).headers.get("x-request-id")).to.match(/^[0-9a-f-]{36}$/);
  });
});
