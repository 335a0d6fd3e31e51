import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "#shared/testing/clients/read-body.ts";

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
}

/** A span as sent by OTLP in JSON. */
export interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
  readonly status: { readonly code?: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: ExportedSpan["attributes"] };
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

/** A fake OpenTelemetry collector on loopback: receives traces by OTLP over HTTP, as JSON. */
export class FakeCollector {
  readonly url: string;
  /** All spans received, each with the ID of the process that sent it. */
  readonly spans: (ExportedSpan & { readonly processId: string | undefined })[] = [];
  readonly #server: Server;

  static async start(): Promise<FakeCollector> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeCollector(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", async (req, res) => {
      if (req.url !== "/v1/traces" || req.headers["content-type"] !== "application/json") {
        res.writeHead(400).end();
        return;
      }
      const body = await readBody(req);
      if (body === undefined) return;
      this.#take(JSON.parse(body) as Export);
      res.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  }

  #take({ resourceSpans }: Export): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const processId = attributeOf(resource, "service.instance.id");
      for (const { spans } of scopeSpans) this.spans.push(...spans.map((span) => ({ ...span, processId })));
    }
  }

  /** The spans of a trace, by name. */
  of(traceId: string): Map<string, FakeCollector["spans"][number]> {
    return new Map(this.spans.filter((span) => span.traceId === traceId).map((span) => [span.name, span]));
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Returns an attribute of a span or a resource, as text. */
export function attributeOf({ attributes }: Pick<ExportedSpan, "attributes">, key: string): string | undefined {
  const value = attributes.find((attribute) => attribute.key === key)?.value;
  return value && `${value.stringValue ?? value.intValue}`;
}
