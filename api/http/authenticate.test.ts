import { createSecretKey } from "node:crypto";
import { expect } from "chai";
import express from "express";
import jwt from "jsonwebtoken";
import { text } from "#shared/contracts/fields.ts";
import { tokenVerifier } from "#shared/domain/identity/sessions/verify-token.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { noEngine } from "#shared/testing/service.ts";
import { useApp } from "#shared/testing/use-app.ts";
import { socialApi } from "../social-api.ts";
import { adminRead } from "./admin-route.ts";
import type { Api } from "./api.ts";
import { bearerAuthentication } from "./authenticate.ts";
import { mount } from "./mount.ts";
import { assignRequestId } from "./observe.ts";
import { makeRateLimits } from "./rate-limit.ts";

const secret = "a key of another kind of tokens, for this test";
const getOrigin = adminRead({
  id: "getOrigin",
  tag: "Tests",
  summary: "Return the origin",
  method: "get",
  path: "/origin",
  permission: "users.read",
  response: text(1, 200),
  handler: async ({ caller: { adminId, ip, userAgent, requestId } }) => [adminId, ip, userAgent, requestId].join(" "),
});

const api: Api = {
  ...socialApi({ actors: noEngine }),
  routes: [getOrigin],
  authenticate: bearerAuthentication(
    tokenVerifier<{ sub: string }>("test-token", {
      secret: createSecretKey(secret, "utf8"),
      algorithm: "HS256",
      issuer: "hubbub",
      audience: "tests",
    }),
    async ({ sub }, { ip, userAgent, requestId }) => ({
      ...adminCaller(),
      adminId: sub,
      ip,
      userAgent,
      requestId,
    }),
  ),
  authorize: () => {},
};

describe("the authentication by another JWT", () => {
  const served = useApp(
    express()
      .use(assignRequestId)
      .use(api.basePath, mount(api, makeRateLimits({ enabled: false }))),
  );
  const tokenFor = (audience: string) =>
    jwt.sign({ sub: "ada" }, secret, { issuer: "hubbub", audience, expiresIn: 60 });
  const ask = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, "user-agent": "a test", "x-request-id": "trace-17" };
    const answer = await fetch(`${served.url}${api.basePath}/origin`, { headers });
    return (await answer.json()) as { data?: string; error?: { code: string } };
  };

  it("may look up the principal, and knows where the call comes from", async () => {
    for (const _call of [1, 2])
      expect((await ask(tokenFor("tests"))).data).to.match(/^ada \S*127\.0\.0\.1 a test trace-17$/);
  });

  it("rejects a token of another audience", async () => {
    expect((await ask(tokenFor("user"))).error?.code).to.equal("UNAUTHENTICATED");
  });
});
