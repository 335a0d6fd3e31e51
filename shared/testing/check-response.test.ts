import { expect } from "chai";
import { integer, object, optional } from "#shared/contracts/fields.ts";
import { type Route, route } from "../../api/http/route.ts";
import { socialEnvelope } from "../../api/social-api.ts";
import { checkResponse, routeOf } from "./check-response.ts";

const entry = (method: Route["method"], path: string, more: Partial<Route> = {}): Route => ({
  ...route({
    method,
    path,
    id: "count",
    tag: "Tests",
    summary: "Count",
    auth: "anyone",
    response: object({ total: integer(0, 9) }),
    handler: async () => ({ total: 3 }),
  }),
  ...more,
});

describe("checkResponse", () => {
  const plain = entry("get", "/count");
  const headers = new Headers({ "cache-control": "no-store" });
  const check = (route: Route, answer: { status: number; body: unknown; headers?: Headers }) =>
    checkResponse({ envelope: socialEnvelope }, route, { headers, ...answer });
  const failure = (code: string) => ({ status: 409, body: { success: false, error: { code, message: "" } } });

  it("accepts a response that matches the entry", () => {
    check(plain, { status: 200, body: { success: true, data: { total: 3 } } });
    check(entry("post", "/count", { errors: ["CONFLICT"] }), failure("CONFLICT"));
  });

  it("rejects a response that caches may keep", () => {
    const cacheable = { status: 200, body: { success: true, data: { total: 3 } }, headers: new Headers() };
    expect(() => check(plain, cacheable)).to.throw("no-store");
  });

  it("rejects data with a missing or additional field", () => {
    for (const data of [{}, { total: 3, secret: 1 }, { total: "3" }, null, undefined]) {
      expect(() => check(plain, { status: 200, body: { success: true, data } })).to.throw("GET /count");
    }
  });

  it("rejects a status or code that the entry doesn't list", () => {
    const made = { status: 201, body: { success: true, data: { total: 3 } } };
    expect(() => check(plain, made)).to.throw("201");
    const maybe: Route = { ...plain, status: 201, mayExist: true };
    for (const status of [200, 201]) check(maybe, { ...made, status });
    expect(() => check(maybe, { ...made, status: 202 })).to.throw("201 or 200");
    expect(() => check(plain, failure("SEAT_TAKEN"))).to.throw("SEAT_TAKEN");
  });

  it("finds the first matching route, like Express", () => {
    const me = entry("get", "/users/me");
    const other = entry("get", "/users/:id", { params: object({ id: optional(integer(0, 9)) }) });
    expect(routeOf([me, other], "get", "/users/me?page=1")).to.equal(me);
    expect(routeOf([me, other], "GET", "/users/17")).to.equal(other);
    expect(routeOf([me, other], "post", "/users/me")).to.equal(undefined);
    expect(routeOf([me, other], "get", "/users/me/more")).to.equal(undefined);
  });
});
