import { about, commaList } from "./environment-fields.ts";

/** Is it a URL of a place that events can be written to? */
function isSink(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.search || url.hash) return false;
  if (url.protocol === "file:") return url.host === "" && url.pathname.length > 1;
  if (url.hostname === "") return false;
  if (url.protocol === "nats:") return /^\/[A-Za-z0-9_-]{1,60}$/.test(url.pathname);
  if (/^kafka(\+scram)?(\+tls)?:$/.test(url.protocol)) return /^\/[A-Za-z0-9._-]{1,200}$/.test(url.pathname);
  return /^clickhouse\+https?:$/.test(url.protocol) && /^\/[A-Za-z_]\w{0,60}\.[A-Za-z_]\w{0,60}$/.test(url.pathname);
}

/** Environment variables of the sinks of events. */
export const eventVariables = {
  EVENT_SINKS: about(commaList(isSink), {
    purpose:
      "Where all domain events are written: folders for files of NDJSON by hour, streams of NATS JetStream, topics of Kafka, tables of ClickHouse. The same in all processes with the role jobs.",
    wanted:
      "comma-separated URLs: file:///folder, nats://user:password@host:4222/STREAM, kafka://user:password@host:9092/topic (or kafka+tls, kafka+scram, kafka+scram+tls), clickhouse+http://user:password@host:8123/database.table (or clickhouse+https)",
    example: "file:///var/lib/hubbub/events,nats://127.0.0.1:4222/HUBBUB",
    secrecy: "secret",
    fallback: [],
  }),
};
