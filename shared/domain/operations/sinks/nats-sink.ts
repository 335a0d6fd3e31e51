import { jetstream } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { EventSink, SinkEvent } from "./event-sink.ts";

const connectWithinMs = 5000;

/**
 * A stream of NATS JetStream, `nats://user:password@host:4222/STREAM`, that takes the subjects `STREAM.>`. The subject
 * of an event is `STREAM.<kind>`. Each message names the one before it, so that none can be stored after one that was
 * lost; and has the event's ID, so that JetStream drops what it has.
 */
export function natsSink({ host, username, password, pathname }: URL): EventSink {
  const stream = pathname.slice(1);
  let connection: NatsConnection | undefined;

  const publisher = (client: ReturnType<typeof jetstream>) => (event: SinkEvent, after?: SinkEvent) =>
    client.publish(`${stream}.${event.type}`, JSON.stringify(event), {
      msgID: event.id,
      expect: { streamName: stream, ...(after && { lastMsgID: after.id }) },
    });

  return {
    write: async (batch) => {
      connection ??= await connect({
        servers: host,
        ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
        timeout: connectWithinMs,
        reconnect: false,
      });
      const publish = publisher(jetstream(connection));
      const sent = await Promise.allSettled(batch.map((event, index) => publish(event, batch[index - 1])));
      if (sent.every(({ status }) => status === "fulfilled")) return;
      // One was lost, or another has published to the stream: one after another needs no names.
      for (const event of batch) await publish(event);
    },
    close: async () => {
      const last = connection;
      connection = undefined;
      await last?.close();
    },
  };
}
