import { clickHouseSink } from "./clickhouse-sink.ts";
import { fileSink } from "./file-sink.ts";
import { kafkaSink } from "./kafka-sink.ts";
import { natsSink } from "./nats-sink.ts";

/** An event as sinks receive it, a line of JSON. */
export interface SinkEvent {
  readonly id: string;
  readonly type: string;
  /** Events with the same key come in order. */
  readonly key: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Where events go. */
export interface EventSink {
  /**
   * Writes a batch, and resolves when it is safe there. If it throws, or its process dies, exactly these events are
   * written again: the sink keeps their order, and drops those that it has, if it can.
   */
  write(batch: readonly SinkEvent[], signal: AbortSignal): Promise<void>;
  /** Drops the connection with all that is under way. The next write opens another one. */
  close(): Promise<void>;
}

const kinds: Readonly<Record<string, (url: URL) => EventSink>> = {
  "file:": fileSink,
  "nats:": natsSink,
  "kafka:": kafkaSink,
  "kafka+tls:": kafkaSink,
  "kafka+scram:": kafkaSink,
  "kafka+scram+tls:": kafkaSink,
  "clickhouse+http:": clickHouseSink,
  "clickhouse+https:": clickHouseSink,
};

/** Returns the sink of a URL of `EVENT_SINKS`, which is valid. */
export const openSink = (url: string): EventSink => {
  const parsed = new URL(url);
  return kinds[parsed.protocol]!(parsed);
};
