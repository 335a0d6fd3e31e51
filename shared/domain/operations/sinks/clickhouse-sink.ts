import type { EventSink } from "./event-sink.ts";

const errorMax = 300;

/**
 * A table of ClickHouse by its HTTP interface, `clickhouse+http://user:password@host:8123/database.table`. A batch that
 * is written again has the same token, by which ClickHouse drops it.
 */
export function clickHouseSink({ protocol, host, username, password, pathname }: URL): EventSink {
  const table = pathname.slice(1);
  const headers = {
    "content-type": "application/x-ndjson",
    ...(username && {
      "x-clickhouse-user": decodeURIComponent(username),
      "x-clickhouse-key": decodeURIComponent(password),
    }),
  };

  return {
    write: async (batch, signal) => {
      const query = new URLSearchParams({
        query: `INSERT INTO ${table} (id, type, key, timestamp, data) FORMAT JSONEachRow`,
        insert_deduplicate: "1",
        insert_deduplication_token: `${batch[0]!.id} ${batch.at(-1)!.id}`,
        async_insert: "0",
        date_time_input_format: "best_effort",
        wait_end_of_query: "1",
      });
      const body = batch.map(({ data, ...event }) => `${JSON.stringify({ ...event, data: JSON.stringify(data) })}\n`);
      const answer = await fetch(`${protocol.replace("clickhouse+", "")}//${host}/?${query}`, {
        method: "POST",
        headers,
        body: body.join(""),
        redirect: "error",
        signal,
      });
      const text = await answer.text();
      if (!answer.ok || answer.headers.has("x-clickhouse-exception-code"))
        throw new Error(`ClickHouse answered ${answer.status}: ${text.slice(0, errorMax)}`);
    },
    close: async () => {},
  };
}
