import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from "@opentelemetry/sdk-trace";
import { logger } from "./logger.ts";
import { useTracer } from "./tracing.ts";

export interface TracingOptions {
  /** Base URL of the collector, without `/v1/traces`. */
  readonly endpoint: string;
  /** What this process is called in traces. */
  readonly serviceName: string;
  /** The share of traces that is exported, 0 to 1. All processes choose the same traces, by their IDs. */
  readonly ratio: number;
}

/**
 * Exports spans by OTLP over HTTP, as JSON. When the collector is slow or away, spans are dropped; nothing waits for
 * it. Loaded only if traces are exported. Returns what stops it.
 */
export function startTracing({ endpoint, serviceName, ratio }: TracingOptions): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, "")}/v1/traces`, timeoutMillis: 5000 });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": serviceName, "service.instance.id": `${process.pid}` }),
    // Callers from outside don't decide what is exported.
    sampler: new TraceIdRatioBasedSampler(ratio),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1000, maxQueueSize: 8192, exportTimeoutMillis: 5000 }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  useTracer(provider.getTracer("hubbub"));
  return async () => {
    useTracer(undefined);
    await provider
      .shutdown()
      .catch((error: unknown) => logger.warn({ err: error }, "the last traces were not exported"));
    context.disable();
    propagation.disable();
    trace.disable();
  };
}
