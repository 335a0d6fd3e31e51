import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { DomainError } from "./domain-error.ts";

/** Set while traces are exported (`start-tracing.ts`). Without it, nothing here costs more than a check. */
let tracer: Tracer | undefined;

export function useTracer(given: Tracer | undefined): void {
  tracer = given;
}

export const isTracing = (): boolean => tracer !== undefined;

export interface SpanOptions {
  readonly kind?: SpanKind;
  /** Names by OpenTelemetry's semantic conventions. Never contents of a call: only what has few values, and IDs. */
  readonly attributes?: Attributes;
  /** The caller's `traceparent` if it is not in this process. */
  readonly traceparent?: string | undefined;
}

const parentOf = (traceparent: string | undefined): Context =>
  traceparent === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, { traceparent });

/** Ends a span. An error that our rules expect (a DomainError) is no fault of the service. */
function endSpan(span: Span, error?: unknown): void {
  if (error instanceof DomainError) span.setAttribute("error.type", error.code);
  else if (error) {
    // Its message may contain values.
    const { name, code } = error as { name?: string; code?: unknown };
    span.setStatus({ code: SpanStatusCode.ERROR, message: [name, code].filter(Boolean).join(" ") });
  }
  span.end();
}

/** Runs `work` as a span of the current trace, or of a new one. */
export async function traced<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (!tracer) return work();
  const parent = parentOf(options.traceparent);
  const span = tracer.startSpan(name, options, parent);
  try {
    const result = await context.with(trace.setSpan(parent, span), work);
    endSpan(span);
    return result;
  } catch (error) {
    endSpan(span, error);
    throw error;
  }
}

/** The span of a request: `run` runs what belongs to it, and `end` ends it, with the name as known by then. */
export interface RequestTrace {
  run(work: () => void): void;
  end(name: string, attributes: Attributes, hasFailed: boolean): void;
}

/** Starts the span of a request. `traceparent`: its caller's, if it sent one. */
export function traceRequest(traceparent: string | undefined): RequestTrace | undefined {
  if (!tracer) return undefined;
  const parent = parentOf(traceparent);
  const span = tracer.startSpan("request", { kind: SpanKind.SERVER }, parent);
  return {
    run: (work) => context.with(trace.setSpan(parent, span), work),
    end: (name, attributes, hasFailed) => {
      span.updateName(name).setAttributes(attributes);
      if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Starts a span below the current one; undefined if there is none: what no call caused is not traced. */
export function traceStep(name: string, options: SpanOptions): ((error?: unknown) => void) | undefined {
  if (!tracer || !trace.getActiveSpan()) return undefined;
  const span = tracer.startSpan(name, options);
  return (error) => endSpan(span, error);
}

/** Returns `work` bound to the current trace, for work that something else runs later. */
export const inThisTrace = <T extends (...args: never[]) => unknown>(work: T): T =>
  tracer ? context.bind(context.active(), work) : work;

/** Returns the current trace and span as W3C Trace Context's `traceparent`, for another process or a later job. */
export function traceparent(): { readonly traceparent?: string } {
  if (!tracer) return {};
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

/** Returns the IDs that lines of the log carry. */
export function traceIds(): { readonly trace_id?: string; readonly span_id?: string } {
  const span = tracer && trace.getActiveSpan()?.spanContext();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

export { SpanKind };
