import { isIP } from "node:net";
import type { ConnectionOptions, Producer } from "@platformatic/kafka";
import type { EventSink, SinkEvent } from "./event-sink.ts";

const connectWithinMs = 5000;

type KafkaProducer = Producer<string, string, string, string>;

/** Encryption and login, by the URL: the login is PLAIN unless the scheme names SCRAM. */
const securityOf = ({ protocol, hostname, username, password }: URL): ConnectionOptions => ({
  // Behind one address, clusters are told apart by the name.
  ...(protocol.includes("+tls") && { tls: {}, tlsServerName: isIP(hostname) === 0 }),
  ...(username && {
    sasl: {
      mechanism: protocol.includes("+scram") ? "SCRAM-SHA-512" : "PLAIN",
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
    },
  }),
});

/**
 * A topic of Kafka, `kafka://user:password@host:9092/topic`, with `kafka+tls` for TLS and `kafka+scram` or
 * `kafka+scram+tls` for SCRAM-SHA-512. The host is one of the cluster, which names the others. Events with the same key
 * go to the same partition, the one that other clients choose, too. The producer is idempotent: what the library sends
 * again after a lost answer is stored once. A batch that is written again after `close` comes twice, with the same IDs.
 */
export function kafkaSink(url: URL): EventSink {
  const topic = url.pathname.slice(1);
  let producer: Promise<KafkaProducer> | undefined;

  async function open(): Promise<KafkaProducer> {
    // Loaded only if a topic is configured.
    const { compatibilityPartitioner, Producer: Client, stringSerializers } = await import("@platformatic/kafka");
    return new Client<string, string, string, string>({
      ...securityOf(url),
      ...{ clientId: "hubbub", bootstrapBrokers: [url.host], serializers: stringSerializers },
      ...{ idempotent: true, partitioner: compatibilityPartitioner, connectTimeout: connectWithinMs, retries: 3 },
    });
  }

  const messageOf = (event: SinkEvent) => ({
    ...{ topic, key: event.key, value: JSON.stringify(event), timestamp: BigInt(Date.parse(event.timestamp)) },
    headers: { id: event.id, type: event.type },
  });

  return {
    write: async (batch) => {
      producer ??= open();
      await (await producer).send({ messages: batch.map(messageOf) });
    },
    close: async () => {
      const last = producer;
      producer = undefined;
      await (await last)?.close(true);
    },
  };
}
