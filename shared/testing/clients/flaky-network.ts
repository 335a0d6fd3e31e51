import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A network in front of a service, which a test can take down. */
export interface FlakyNetwork {
  readonly url: string;
  /** Cuts all connections. */
  cut(): void;
  /** Cuts all connections, and those that come, until `restore`. */
  takeDown(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function openFlakyNetwork(serviceUrl: string): Promise<FlakyNetwork> {
  const { hostname, port } = new URL(serviceUrl);
  const sockets = new Set<Socket>();
  let isUp = true;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((client) => {
    keep(client);
    if (!isUp) return void client.destroy();
    const service = keep(connect(Number(port), hostname));
    client.pipe(service).pipe(client);
    client.on("close", () => service.destroy());
    service.on("close", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const cut = () => {
    for (const socket of [...sockets]) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    takeDown: () => {
      isUp = false;
      cut();
    },
    restore: () => {
      isUp = true;
    },
    close: async () => {
      cut();
      await new Promise((closed) => server.close(closed));
    },
  };
}
