import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect } from "chai";
import express from "express";
import { object, text } from "#shared/contracts/fields.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { newId } from "#shared/kernel/ids.ts";
import { clientOf, noEngine } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { useApp } from "#shared/testing/use-app.ts";
import { socialApi } from "../social-api.ts";
import type { Api } from "./api.ts";
import { mount } from "./mount.ts";
import { makeRateLimits } from "./rate-limit.ts";
import { abandonBody } from "./respond.ts";
import { route } from "./route.ts";

const noLimits = makeRateLimits({ enabled: false });
const social = socialApi({ actors: noEngine });
const entry = { id: "sayAgain", tag: "Tests", summary: "Say it again", response: text(1, 100) } as const;

describe("a call", () => {
  const steps: string[] = [];
  let refusedAt = "";
  /** Writes a step down, and refuses there if the test wants it. */
  const step = (name: string, code: ErrorCode) => {
    steps.push(name);
    if (name === refusedAt) throw new DomainError(code);
  };

  const say = route({
    ...entry,
    auth: "user",
    method: "post",
    path: "/say",
    body: object({ words: text(1, 100) }),
    handler: async ({ body }) => {
      step("handler", "CONFLICT");
      return body.words;
    },
  });
  const api: Api = {
    ...social,
    routes: [say],
    assertOpen: () => step("maintenance", "MAINTENANCE"),
    authenticate: async () => {
      step("authentication", "UNAUTHENTICATED");
      return { kind: "user", userId: newId(), sessionId: newId(), expiresAtMs: 0 };
    },
    bodies: {
      ...social.bodies,
      read: async (req, res) => {
        step("body", "MALFORMED_JSON");
        return social.bodies.read(req, res);
      },
    },
    checkInput: (schema, value, options) => {
      step("input", "VALIDATION_ERROR");
      return social.checkInput(schema, value, options);
    },
  };
  const limits = {
    of: () => ({ only: undefined, count: async () => step("limit", "RATE_LIMITED") }),
  };
  const served = useApp(express().use(api.basePath, mount(api, limits)));
  const ask = () => clientOf(served.url, api)("post", "/say", { body: { words: "Good evening!" } });

  const order = ["maintenance", "authentication", "limit", "body", "input", "handler"];
  beforeEach(() => {
    steps.length = 0;
    refusedAt = "";
  });

  it("passes its steps in order", async () => {
    const { body } = await ask();

    expect(steps).to.deep.equal(order);
    expect(body.data).to.equal("Good evening!");
  });

  for (const [index, name] of order.slice(0, -1).entries())
    it(`goes no further than the step that refuses it: ${name}`, async () => {
      refusedAt = name;
      const { status } = await ask();

      expect(steps).to.deep.equal(order.slice(0, index + 1));
      expect(status).to.be.within(400, 503);
    });
});

describe("a call that is refused before its body was read", () => {
  const api: Api = {
    ...social,
    routes: [
      route({ ...entry, auth: "user", method: "post", path: "/say", handler: async () => "Never" }),
      route({ ...entry, auth: "anyone", method: "get", path: "/hello", handler: async () => "Hello" }),
    ],
    authenticate: async () => null,
  };
  const served = useApp(
    express()
      .use(api.basePath, mount(api, noLimits))
      .use((req, res) => {
        abandonBody(req, 50);
        res.status(401).end();
      }),
  );
  let socket: Socket;
  let received = "";

  beforeEach(async () => {
    received = "";
    socket = connect(Number(new URL(served.url).port), "127.0.0.1");
    socket.on("data", (data) => {
      received += data;
    });
    await once(socket, "connect");
  });
  afterEach(() => socket.destroy());

  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  const head = (path: string, ...headers: string[]) =>
    [`POST ${path} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n");
  const hello = "GET /api/v1/hello HTTP/1.1\r\nHost: x\r\n\r\n";

  it("is answered at once, and the connection goes on after the body", async () => {
    const half = "x".repeat(500_000);
    socket.write(head("/api/v1/say", "Content-Type: application/json", "Content-Length: 1000000") + half);
    await until("it is answered", () => statuses().length === 1);

    socket.write(half + hello);
    await until("the next call is answered", () => statuses().length === 2);

    expect(statuses()).to.deep.equal(["401", "200"]);
    expect(received).to.include('"Hello"');
  });

  it("takes no part of its body for another call", async () => {
    socket.write(head("/api/v1/say", `Content-Length: ${hello.length}`) + hello + hello);
    await until("both are answered", () => statuses().length === 2);

    expect(statuses()).to.deep.equal(["401", "200"]);
  });

  it("is answered though its body has no end, and loses its connection", async () => {
    socket.write(`${head("/nowhere", "Transfer-Encoding: chunked")}5\r\nhello\r\n`);
    await until("it is answered", () => statuses().length === 1);
    const endless = setInterval(() => socket.write("5\r\nhello\r\n"), 5);

    await new Promise((resolve) => socket.on("error", resolve).on("close", resolve));
    clearInterval(endless);

    expect(statuses()).to.deep.equal(["401"]);
  });
});
