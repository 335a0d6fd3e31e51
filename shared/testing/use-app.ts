import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Serves an app at `url` during the tests of the current `describe`. */
export function useApp(app: RequestListener): { url: string } {
  const server = createServer(app);
  const served = { url: "" };

  before(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return served;
}
