import { expect } from "chai";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { exampleOf } from "../../api/docs/example-of.ts";
import { type Described, describe as describeSchema, nameOf as nameOfSchema } from "../../api/docs/json-schema.ts";
import type { Api } from "../../api/http/api.ts";
import type { Route } from "../../api/http/route.ts";
import { codeIn } from "./check-response.ts";
import type { Answer, ApiClient } from "./service.ts";

/** How the routes of an API are called. */
interface RoutesTest {
  readonly call: ApiClient;
  /** Returns the token of a caller who may call all routes. */
  readonly token: () => Promise<string>;
  /** What its fields are called. Default: snake_case. */
  readonly fieldNames?: RegExp;
}

const snakeCase = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const paramsIn = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
const mayHaveBody = ({ method }: Route): boolean => method !== "get" && method !== "delete";

/** A path that fits the route's params. */
function pathOf({ path, params }: Route): string {
  const examples = params ? (exampleOf(params) as Record<string, string>) : {};
  return path.replace(/:(\w+)/g, (_match, name: string) => examples[name] ?? "x");
}

function memberNames({ keys = {}, items = [], matches = [] }: Described): string[] {
  const below = [...Object.values(keys), ...items, ...matches.flatMap(({ schema }) => schema ?? [])];
  return [...Object.keys(keys), ...below.flatMap(memberNames)];
}

/** Declares the tests that hold for the table of every API: names, descriptions, and how invalid calls are rejected. */
export function describeRoutes(api: Api, { call, token: buildToken, fieldNames = snakeCase }: RoutesTest): void {
  const { routes } = api;
  let token: string;
  before(async () => {
    token = await buildToken();
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
    describeNames(api, route, fieldNames);
    describeRejections(api, route, { call, token: () => token });
  }
}

/** Declares what its names and its description must be like. */
function describeNames(api: Api, route: Route, fieldNames: RegExp): void {
  const { params, query } = route;

  it(`names ${nameOf(route)} for generated clients`, () => {
    const { id, summary, body, response } = route;
    expect(id, "a verb and its object in camel case").to.match(/^[a-z]+([A-Z][a-z]+)+$/);
    expect(summary, "an imperative of two to five words, without a full stop").to.match(/^[A-Z]\S+( \S+){1,4}(?<!\.)$/);
    if (body) expect(nameOfSchema(body), "the name of its body").to.be.a("string");
    const { items: [item] = [] } = describeSchema(response);
    const { metas = [] } = item ?? describeSchema(response);
    expect(metas.some(({ name }) => name)).to.equal(true);
  });

  it(`describes ${nameOf(route)}`, () => {
    const { tag, body, response, path } = route;
    expect(path).to.match(/^(\/([a-z]+(-[a-z]+)*|:[a-z]+(Id)?))+$/);
    expect(tag).to.match(/^[A-Z]/);
    expect(api.document.tags).to.have.property(tag);
    expect(paramsIn(path)).to.have.members(Object.keys(params ? (describeSchema(params).keys ?? {}) : {}));
    if (!mayHaveBody(route)) expect(body).to.equal(undefined);
    const names = [query, body, response].flatMap((schema) => (schema ? memberNames(describeSchema(schema)) : []));
    expect(names.filter((name) => !fieldNames.test(name))).to.deep.equal([]);
  });
}

/** Status and code of a failure, where the API's failures have a code. */
const outcomeOf = ({ status, body }: Pick<Answer, "status" | "body">) => [status, codeIn(body)];

/** Declares how it rejects invalid calls. */
function describeRejections(api: Api, route: Route, { call, token }: { call: ApiClient; token: () => string }): void {
  const { envelope, credentials, bodies } = api;
  const { method, params, query } = route;
  const failureOf = (code: ErrorCode) => outcomeOf(envelope.failure(new DomainError(code), ""));

  if (route.auth !== "anyone")
    it(`${nameOf(route)} answers 401 without a token, and to one that is none`, async () => {
      for (const options of [{}, { token: "not.a.token" }]) {
        const answer = await call(method, pathOf(route), options);
        expect(outcomeOf(answer)).to.deep.equal(failureOf("UNAUTHENTICATED"));
        expect(answer.headers.get("www-authenticate")).to.equal(credentials.challenge);
      }
    });

  if (query)
    it(`${nameOf(route)} ignores an unknown member of the query`, async () => {
      const members = { ...(exampleOf(query) as Record<string, string>), a_stranger: "1" };
      const answer = await call(method, `${pathOf(route)}?${new URLSearchParams(members)}`, { token: token() });
      expect(outcomeOf(answer)).not.to.deep.equal(failureOf("VALIDATION_ERROR"));
    });

  if (method !== "get" && !route.rawBody)
    it(`${nameOf(route)} refuses an unknown member of the body`, async () => {
      const example = route.body ? (exampleOf(route.body) as object) : {};
      const answer = await call(method, pathOf(route), { token: token(), body: { ...example, a_stranger: 1 } });
      expect(outcomeOf(answer)).to.deep.equal(failureOf("VALIDATION_ERROR"));
      expect(JSON.stringify(answer.body)).to.include("a_stranger");
    });

  if (method !== "get")
    it(`${nameOf(route)} says which content types it takes`, async () => {
      if (route.rawBody) return;
      const answer = await call(method, pathOf(route), {
        token: token(),
        body: "x",
        headers: { "content-type": "text/plain" },
      });
      expect(outcomeOf(answer)).to.deep.equal(failureOf("UNSUPPORTED_MEDIA_TYPE"));
      for (const type of bodies.contentTypes) expect(JSON.stringify(answer.body)).to.include(type);
    });

  if (params?.describe().keys.id?.rules?.some(({ name }: { name: string }) => name === "guid"))
    it(`${nameOf(route)} refuses an id that is none`, async () => {
      for (const id of ["1", "%27%20OR%201=1", "{0198f2a4-7c1e-7d3a-9b52-3f6f0c1d2e4a}"]) {
        const type = route.rawBody?.contentTypes?.[0];
        const raw = type && { body: "x", headers: { "content-type": type } };
        const answer = await call(method, pathOf(route).replace(/[0-9a-f-]{36}/, id), { token: token(), ...raw });
        expect(outcomeOf(answer), id).to.deep.equal(failureOf("VALIDATION_ERROR"));
      }
    });
}
