import { execFile } from "node:child_process";
import type { webcrypto } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import * as x509 from "@peculiar/x509";
import type { Chain, DemoApple } from "#shared/domain/money/stores/apple/demo-apple.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";

const run = promisify(execFile);
const certificates = ["leaf", "intermediate"] as const;
type Which = (typeof certificates)[number];

/** What a responder says of a certificate, as OpenSSL reads it from a file. */
interface Answer {
  readonly index: string;
  readonly issuer: string;
  readonly signer: string;
  readonly key: string;
}

/** Says whether certificates are revoked, as Apple's responder does: OpenSSL makes the answers. */
export class FakeOcsp {
  readonly #apple: DemoApple;
  readonly #folder: string;
  readonly #server: Server;
  readonly #answers = new Map<string, Answer>();

  private constructor(apple: DemoApple, folder: string, server: Server) {
    [this.#apple, this.#folder, this.#server] = [apple, folder, server];
  }

  static async start(apple: DemoApple): Promise<FakeOcsp> {
    const server = createServer();
    const fake = new FakeOcsp(apple, await mkdtemp(join(tmpdir(), "ocsp-")), server);
    server.on("request", async (request, response) => {
      const answer = await fake.#answer(request.url!.slice(1), await buffer(request));
      response.writeHead(200, { "content-type": "application/ocsp-response" }).end(answer);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    return fake;
  }

  async stop(): Promise<void> {
    this.#server.close();
    await rm(this.#folder, { recursive: true });
  }

  /** Makes certificates of which it knows; `revoked` and `unknown` name one. */
  async chain({ revoked, unknown }: { revoked?: Which; unknown?: Which } = {}): Promise<Chain> {
    const [leaf, intermediate] = [newId(), newId()];
    const at = (name: string) => `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`;
    const chain = await this.#apple.chain({ askedAt: { leaf: at(leaf), intermediate: at(intermediate) } });
    const [first, second] = chain.x5c.map((text) => new x509.X509Certificate(text));
    const know = (which: Which, name: string, certificate: x509.X509Certificate, issuer: x509.X509Certificate) =>
      this.#know(name, issuer, which === "leaf" ? chain.intermediateKeys : this.#apple.rootKeys, {
        serial: which === unknown ? "FFFF" : certificate.serialNumber,
        isRevoked: which === revoked,
      });
    await know("leaf", leaf, first!, second!);
    await know("intermediate", intermediate, second!, this.#apple.root);
    return chain;
  }

  /** The issuer signs the certificate of who answers for it. */
  async #know(
    name: string,
    issuer: x509.X509Certificate,
    issuerKeys: webcrypto.CryptoKeyPair,
    { serial, isRevoked }: { serial: string; isRevoked: boolean },
  ): Promise<void> {
    const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
    const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    const signer = await x509.X509CertificateGenerator.create({
      serialNumber: "7f01",
      subject: "CN=OCSP - Demo",
      issuer: issuer.subject,
      notBefore: new Date(clock.now() - daysMs(1)),
      notAfter: new Date(clock.now() + daysMs(1)),
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: issuerKeys.privateKey,
      extensions: [new x509.ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.9"])],
    });
    const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
    const at = (date: number) =>
      new Date(date)
        .toISOString()
        .replaceAll(/[-:T]|\.\d+/g, "")
        .slice(2);
    const [ends, revoked] = [at(clock.now() + daysMs(100)), isRevoked ? at(clock.now() - daysMs(1)) : ""];
    const line = [isRevoked ? "R" : "V", ends, revoked, serial.toUpperCase(), "unknown", "/CN=Demo"].join("\t");
    const files = {
      index: `${line}\n`,
      issuer: issuer.toString("pem"),
      signer: signer.toString("pem"),
      key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
    };
    const answer = {} as Record<keyof Answer, string>;
    for (const [part, text] of Object.entries(files) as [keyof Answer, string][]) {
      answer[part] = join(this.#folder, `${name}.${part}`);
      await writeFile(answer[part], text);
    }
    this.#answers.set(name, answer);
  }

  async #answer(name: string, asked: Buffer): Promise<Buffer> {
    const { index, issuer, signer, key } = this.#answers.get(name)!;
    const [question, answer] = ["question", "answer"].map((part) => join(this.#folder, `${name}.${part}`)) as [
      string,
      string,
    ];
    await writeFile(question, asked);
    const files = [
      "-index",
      index,
      "-CA",
      issuer,
      "-rsigner",
      signer,
      "-rkey",
      key,
      "-reqin",
      question,
      "-respout",
      answer,
    ];
    await run("openssl", ["ocsp", ...files, "-ndays", "1"]);
    return readFile(answer);
  }
}
