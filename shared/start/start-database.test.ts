import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { TLSSocket } from "node:tls";
import { expect } from "chai";
import { ownCertificate } from "#shared/testing/own-certificate.ts";
import { runProgram } from "#shared/testing/spawned-service.ts";

describe("a database whose authority isn't known", () => {
  it("keeps the service from starting, and the message says where its file belongs", async () => {
    const own = await ownCertificate();
    /** PostgreSQL as far as its certificate: it agrees to TLS. */
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        socket.write("S");
        new TLSSocket(socket, { isServer: true, ...own }).on("error", () => {});
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    try {
      const { exitCode, output } = await runProgram(["main.ts", "start"], {
        DATABASE_URL: `postgres://me:secret@127.0.0.1:${port}/hubbub?sslmode=require`,
      });
      expect(exitCode).to.equal(1);
      expect(output).to.include("certificate of an authority that isn't known here").and.include("sslrootcert=");
      expect(output).not.to.include("secret@");
    } finally {
      server.close();
    }
  });
});
