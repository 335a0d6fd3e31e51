import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { S3Access } from "#shared/domain/base/media/stores/s3-store.ts";

export interface FakeS3 {
  readonly access: S3Access;
  /** Fails so many of the next requests. Returns a function that says how many are left. */
  readonly failNext: (count: number) => () => number;
  readonly stop: () => Promise<void>;
}

const [accessKeyId, secretAccessKey, region] = ["fake-access-key", "fake-secret-key", "eu-central-1"];
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** What a request is signed with: by its Authorization header, or in its query. */
function signatureOf({ headers }: IncomingMessage, query: URLSearchParams) {
  const header = /Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)/.exec(headers.authorization ?? "");
  if (header) {
    const [, credential, signed, signature] = header as unknown as string[];
    return { credential: credential!, signed: signed!, signature: signature!, date: `${headers["x-amz-date"]}` };
  }
  const of = (name: string) => query.get(`X-Amz-${name}`) ?? "";
  const [signature, date] = [of("Signature"), of("Date")];
  const issuedMs = Date.parse(date.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, "$1-$2-$3T$4:$5:$6Z"));
  const isFresh = Date.now() < issuedMs + Number(of("Expires")) * 1000;
  return { credential: of("Credential"), signed: of("SignedHeaders"), signature: isFresh ? signature : "", date };
}

/** Checks a request as "Authenticating Requests (AWS Signature Version 4)" of the S3 API Reference says. */
function isSigned(req: IncomingMessage, url: URL): boolean {
  const { credential, signed, signature, date } = signatureOf(req, url.searchParams);
  const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`;
  if (credential !== `${accessKeyId}/${scope}` || !signed.split(";").includes("host")) return false;
  const query = [...url.searchParams]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort();
  const canonical = [
    req.method,
    url.pathname
      .split("/")
      .map((part) => encoded(decodeURIComponent(part)))
      .join("/"),
    query.join("&"),
    ...signed.split(";").map((name) => `${name}:${`${req.headers[name] ?? ""}`.trim()}`),
    "",
    signed,
    req.headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD",
  ].join("\n");
  const key = ["s3", "aws4_request"].reduce<Buffer>(
    (made, part) => hmac(made, part),
    hmac(hmac(`AWS4${secretAccessKey}`, date.slice(0, 8)), region),
  );
  const expected = hmac(key, ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n")).toString("hex");
  return signature === expected;
}

/** Starts a server that speaks S3 for one bucket, and refuses what isn't signed for it. */
export async function startFakeS3(): Promise<FakeS3> {
  const objects = new Map<string, { readonly content: Buffer; readonly type: string }>();
  let failing = 0;
  const server = createServer(async (req, res) => {
    const url = new URL(req.url!, `http://${req.headers.host}`);
    const content = await buffer(req);
    const end = (status: number, body: string | Buffer = "") => void res.writeHead(status).end(body);
    if (failing > 0) {
      failing -= 1;
      return end(503);
    }
    if (!isSigned(req, url)) return end(403, "<Error><Code>SignatureDoesNotMatch</Code></Error>");
    const key = decodeURIComponent(url.pathname).replace(/^\/media\/?/, "");
    const found = objects.get(key);
    if (key === "") {
      const prefix = url.searchParams.get("prefix") ?? "";
      const keys = [...objects.keys()].filter((one) => one.startsWith(prefix));
      return end(200, `<ListBucketResult>${keys.map((one) => `<Key>${one}</Key>`).join("")}</ListBucketResult>`);
    }
    if (req.method === "PUT") objects.set(key, { content, type: `${req.headers["content-type"]}` });
    if (req.method === "DELETE") objects.delete(key);
    if (req.method === "PUT" || req.method === "DELETE") return end(req.method === "PUT" ? 200 : 204);
    if (!found) return end(404);
    res.setHeader("Content-Type", found.type).setHeader("Content-Length", found.content.length);
    end(200, req.method === "HEAD" ? "" : found.content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/media`;
  return {
    access: { url, accessKeyId, secretAccessKey, region },
    failNext: (count) => {
      failing = count;
      return () => failing;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
