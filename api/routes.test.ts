import { expect } from "chai";
import { featureOf, openWhileFrozen } from "#shared/contracts/age-rights.ts";
import { clientEvents } from "#shared/contracts/client-events.ts";
import { guestRights } from "#shared/contracts/guest-rights.ts";
import { openWithoutTerms } from "#shared/contracts/terms-rights.ts";
import { query } from "#shared/db/query.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { type CallOptions, noEngine, useService } from "#shared/testing/service.ts";
import { catalogueApi } from "./catalogue-api.ts";
import type { Route } from "./http/route.ts";
import { apiRoutes } from "./routes.ts";

/** What the contract names, and what we add for rooms. */
const documented = `
  post /auth/register          post /auth/login             post /auth/refresh          post /auth/logout
  post /auth/verify-email      post /auth/verify-mobile     post /auth/forgot-password  post /auth/reset-password
  post /auth/resend-verification                            get /auth/sessions          delete /auth/sessions/:id
  post /auth/google            post /auth/apple             post /auth/facebook         post /auth/oidc/:provider
  post /auth/phone/code        post /auth/phone             post /auth/guest            get /users/me/identities
  put /users/me/age-signal     post /auth/apple/notifications
  post /users/me/identities/:provider                       delete /users/me/identities/:provider
  post /account/delete-request  post /users/me/export        get /users/me/export
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

const routes = apiRoutes({ actors: noEngine });
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

describe("the table of routes", () => {
  it("has every operation that the contract names", () => {
    const names = new Set(routes.map(nameOf));
    expect(documented.filter((name) => !names.has(name))).to.deep.equal([]);
  });

  it("has what guests may do, and what depends on an age", () => {
    const all = [...routes, ...catalogueApi().routes];
    const names = new Set([...all.map(({ id }) => id), ...Object.keys(clientEvents)]);
    const listed = [...guestRights.keys(), ...featureOf.keys(), ...openWhileFrozen, ...openWithoutTerms];
    expect(listed.filter((name) => !names.has(name))).to.deep.equal([]);
  });

  it("honours an Idempotency-Key where coins move", () => {
    expect(routes.filter(({ idempotent }) => idempotent).map(nameOf)).to.include("post /rooms/:id/gifts");
    for (const route of routes) if (route.idempotent) expect(route.method).to.equal("post");
  });
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

  it("is a 415 to a body without a content type, and says which to send", async () => {
    const body = new TextEncoder().encode('{"identifier": "ada"}');
    const answer = await fetch(`${service.url}/api/v1/auth/login`, { method: "POST", body });

    const { error } = (await answer.json()) as { error: { message: string } };
    expect(answer.status).to.equal(415);
    expect(error.message).to.equal("The body has no content type. Send `Content-Type: application/json`.");
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

  it("is a 404 to an address or an encoding that is none", async () => {
    expectFailure(await service.call("get", "/nowhere"), 404, "NOT_FOUND");
    expectFailure(await service.call("get", "/users/%E0%A4%A"), 404, "NOT_FOUND");
    const outside = await fetch(`${service.url}/nowhere`);
    expect([outside.status, await outside.json()]).to.have.nested.property("[1].error.code", "NOT_FOUND");
  });

  it("is a 405 to a method that a path doesn't have, and says which it has", async () => {
    for (const [method, path, allowed] of [
      ["delete", "/auth/login", "POST"],
      ["put", "/users/me", "GET, PATCH"],
    ] as const) {
      const answer = await service.call(method, path);
      expectFailure(answer, 405, "METHOD_NOT_ALLOWED");
      expect(answer.headers.get("allow")).to.equal(allowed);
      expect(answer.body.error.message).to.include(`${method.toUpperCase()} /api/v1${path} doesn't exist. Allowed`);
    }
  });

  it("names the URL that doesn't exist, and the one that was meant", async () => {
    const messageOf = async (path: string) => {
      const { error } = (await (await fetch(service.url + path)).json()) as { error: { message: string } };
      return error.message;
    };

    expect(await messageOf("/api/v1/nowhere?x=1")).to.equal("GET /api/v1/nowhere doesn't exist.");
    for (const [path, meant] of [
      ["/rooms", "/api/v1/rooms"],
      ["/v1/rooms", "/api/v1/rooms"],
      ["/api/wallet", "/api/v1/wallet"],
      ["/api/v1/walet", "/api/v1/wallet"],
      ["/api/v1/rooms/7/mesages", "/api/v1/rooms/7/messages"],
      ["/api/v1/admin/role", "/api/v1/admin/roles"],
    ])
      expect(await messageOf(path!)).to.equal(`GET ${path} doesn't exist. Did you mean ${meant}?`);
  });

  it("tells tokens apart that are missing, invalid, expired, or of a session that has ended", async () => {
    const { username, password } = await buildUser();
    const { body: login } = await service.call("post", "/auth/login", { body: { identifier: username, password } });
    const messageOf = async (options: CallOptions) => {
      const { status, body } = await service.call("get", "/users/me", options);
      return `${status} ${body.error.code} ${body.error.message}`;
    };
    const missing = await messageOf({});
    const invalid = await messageOf({ token: "not.a.token" });
    await service.call("post", "/auth/logout", { body: { refreshToken: login.data.refreshToken } });
    const ended = await messageOf({ token: login.data.accessToken });

    expect(missing).to.equal(
      "401 UNAUTHENTICATED No credentials were sent. Send the header `authorization: Bearer <token>`.",
    );
    expect(invalid).to.equal("401 UNAUTHENTICATED The access token is invalid. Log in again, or refresh it.");
    expect(ended).to.equal("401 UNAUTHENTICATED This login session has ended. Log in again.");
  });

  it("links to the documentation of its code", async () => {
    const { body } = await service.call("get", "/users/me");
    const { hash, href } = new URL(body.error.doc_url);
    const page = await (await fetch(href)).text();

    expect(href).to.equal(`${service.url}/docs/errors#UNAUTHENTICATED`);
    expect(page).to.include(`id="${hash.slice(1)}"`);
  });

  it("is compressed when it is large", async () => {
    await query("DELETE FROM policy_texts");
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
