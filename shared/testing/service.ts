import "./access-tokens.ts";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Actors } from "#shared/contracts/actors.ts";
import { startJobs } from "#shared/db/jobs.ts";
import { startSignals } from "#shared/db/signals.ts";
import { makeApp } from "../../api/app.ts";
import type { Route } from "../../api/http/route.ts";
import { startWorkers } from "../../api/jobs/jobs.ts";
import { apiRoutes } from "../../api/routes.ts";
import { startEngine } from "../../engine/server.ts";
import { checkAnswer, routeOf } from "./check-answer.ts";
import { useDatabase } from "./database.ts";

export interface CallOptions {
  body?: unknown;
  token?: string;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely.
  body: any;
  headers: Headers;
}

/** The port to the rooms when no engine runs: everything is out of reach. */
export const noEngine: Actors = {
  voice: async () => ({ ok: false, code: "ENGINE_UNAVAILABLE", message: "no engine in this test" }),
  liveCounts: async () => new Map(),
};

let started: ReturnType<typeof startHere> | undefined;
let routes: Route[] = [];

/** The running service of this test process; made once, by the first `describe` that asks. */
export function useService() {
  useDatabase();
  const service = {
    url: "",
    actors: noEngine,
    /** Calls below `/api/v1`. Every answer is held against the entry of its route, see `check-answer.ts`. */
    async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
      const headers: Record<string, string> = { ...options.headers };
      if (options.token) headers.authorization = `Bearer ${options.token}`;
      if (options.body !== undefined) headers["content-type"] ??= "application/json";
      const body = typeof options.body === "string" ? options.body : JSON.stringify(options.body);
      const response = await fetch(`${service.url}/api/v1${path}`, {
        method: method.toUpperCase(),
        headers,
        ...(options.body !== undefined && { body }),
      });
      const answer = { status: response.status, body: await response.json(), headers: response.headers };
      const route = routeOf(routes, method, path);
      if (route) checkAnswer(route, answer);
      return answer;
    },
  };
  before(async () => {
    started ??= startHere();
    const { port, actors } = await started;
    routes = apiRoutes({ actors });
    Object.assign(service, { url: `http://127.0.0.1:${port}`, actors });
  });
  return service;
}

/** The whole service in this process, on the database that `useDatabase` has opened. */
async function startHere(): Promise<{ port: number; actors: Actors }> {
  await startSignals();
  const http = createServer((req, res) => app(req, res));
  const corsOrigins = ["*"];
  const engine = await startEngine({ http, host: "127.0.0.1", corsOrigins, rateLimits: false });
  const { actors, matchmake } = engine;
  const app = makeApp({ actors, corsOrigins, rateLimits: false, readiness: async () => [], before: matchmake });
  await startJobs({ work: true });
  await startWorkers({ actors });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  await engine.listening(port);
  return { port, actors };
}
