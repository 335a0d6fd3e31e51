import "./access-tokens.ts";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Actors } from "#shared/contracts/actors.ts";
import { startSignals } from "#shared/db/signals.ts";
import { makeApp } from "../../api/app.ts";
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

let server: Server | undefined;

/** The running service of this test process; made once, by the first `describe` that asks. */
export function useService() {
  useDatabase();
  const service = {
    url: "",
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
      return { status: response.status, body: await response.json(), headers: response.headers };
    },
  };
  before(async () => {
    if (!server) {
      await startSignals();
      const actors: Actors = {
        voice: async () => ({ ok: false, code: "ENGINE_UNAVAILABLE", message: "no engine in this test" }),
        liveCounts: async () => new Map(),
      };
      const app = makeApp({ actors, corsOrigins: ["*"], rateLimits: false, readiness: async () => [] });
      server = createServer(app);
      await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    }
    service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  return service;
}
