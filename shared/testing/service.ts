import "./access/access-tokens.ts";
import "./fakes/sandbox-payments.ts";
import type { Actors } from "#shared/contracts/actors.ts";
import type { Route } from "../../api/http/route.ts";
import { apiRoutes } from "../../api/routes.ts";
import { startParts } from "../../main.ts";
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

const outOfReach = { ok: false, code: "ENGINE_UNAVAILABLE", message: "no engine in this test" } as const;

/** The port to the rooms when no engine runs: everything is out of reach. */
export const noEngine: Actors = {
  voice: async () => outOfReach,
  lobby: async () => outOfReach,
  game: async () => outOfReach,
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
    const { url, actors } = await started;
    routes = apiRoutes({ actors });
    Object.assign(service, { url, actors });
  });
  return service;
}

/** The whole service in this process, on the database that `useDatabase` has opened; it ends with the process. */
const startHere = () =>
  startParts(
    {
      environment: "test",
      roles: ["api", "engine", "jobs"],
      host: "127.0.0.1",
      port: 0,
      corsOrigins: ["*"],
      rateLimits: false,
      mail: {},
    },
    new AsyncDisposableStack(),
  );
