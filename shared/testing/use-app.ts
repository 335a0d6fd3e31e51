import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Serves an app of the current `describe` at `url`, from before its tests until after them. */
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
