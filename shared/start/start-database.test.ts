import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { TLSSocket } from "node:tls";
import { X509CertificateGenerator } from "@peculiar/x509";
import { expect } from "chai";
import { runProgram } from "#shared/testing/spawned-service.ts";

/** A certificate that no authority of this machine has signed, and its key, as PEM. */
async function ownCertificate(): Promise<{ key: string; cert: string }> {
  const signingAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({ name: "CN=localhost", keys, signingAlgorithm });
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  return { key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----`, cert: certificate.toString("pem") };
}

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
