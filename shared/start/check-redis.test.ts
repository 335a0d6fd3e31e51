import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { Redis } from "ioredis";
import { redisOptions } from "#shared/kernel/redis-options.ts";
import { freePort } from "#shared/testing/free-port.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import { until } from "#shared/testing/until.ts";
import { checkRedis } from "./check-redis.ts";

const [user, password, ofSentinel] = ["hubbub", "p@ss:word", "another password"];
const login = `${user}:${encodeURIComponent(password)}`;
/** Only this user may do anything. */
const users = ["--user", user, "on", `>${password}`, "~*", "&*", "+@all", "--user", "default", "off"];
const forms = ["a server", "the server that Sentinels name", "a cluster"] as const;

describe("Redis with TLS, an authority of its own, users, and passwords", function () {
  this.timeout(60_000);
  let folder: string;
  let servers: TestRedis[] = [];
  let sentinel: ChildProcess;
  /** The address of each form, with a login and the file of an authority. */
  let addresses: Record<(typeof forms)[number], (login: string, ca: string) => string>;

  const file = (name: string) => join(folder, name);
  const tls = (port: number): [name: string, value: string][] => [
    ["port", "0"],
    ["tls-port", `${port}`],
    ["tls-auth-clients", "no"],
    ["tls-cert-file", file("certificate.pem")],
    ["tls-key-file", file("key.pem")],
    ["tls-ca-cert-file", file("certificate.pem")],
  ];

  async function start(...more: string[]): Promise<TestRedis> {
    const port = await freePort();
    const encrypted = tls(port).flatMap(([name, value]) => [`--${name}`, value]);
    const server = await startRedis(port, [...encrypted, ...users, ...more]);
    servers.push(server);
    return server;
  }

  async function startSentinel(watched: number): Promise<number> {
    const port = await freePort();
    const lines = [
      ...tls(port).map((line) => line.join(" ")),
      ...["tls-replication yes", "bind 127.0.0.1", `dir ${folder}`, `requirepass "${ofSentinel}"`],
      `sentinel monitor main 127.0.0.1 ${watched} 1`,
      ...[`sentinel auth-user main ${user}`, `sentinel auth-pass main ${password}`],
    ];
    await writeFile(file("sentinel.conf"), `${lines.join("\n")}\n`);
    sentinel = spawn("redis-server", [file("sentinel.conf"), "--sentinel"], { stdio: "ignore" });
    return port;
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "redis-tls-"));
    const subject = ["-subj", "/CN=redis", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"];
    for (const [certificate, key] of [
      ["certificate.pem", "key.pem"],
      ["other.pem", "other-key.pem"],
    ] as const) {
      const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", file(key)];
      await promisify(execFile)("openssl", ["req", "-x509", "-nodes", ...made, "-out", file(certificate), ...subject]);
    }
    const server = await start();
    const node = await start(
      "--tls-cluster",
      "yes",
      "--cluster-enabled",
      "yes",
      "--cluster-config-file",
      file("nodes"),
    );
    const port = await startSentinel(server.port);
    const secret = encodeURIComponent(ofSentinel);
    addresses = {
      "a server": (who, ca) => `rediss://${who}@127.0.0.1:${server.port}?ca=${ca}`,
      "the server that Sentinels name": (who, ca) =>
        `redis-sentinel://${who}@127.0.0.1:${port}/main?tls=on&ca=${ca}&sentinel_password=${secret}`,
      "a cluster": (who, ca) => `redis-cluster://${who}@127.0.0.1:${node.port}?tls=on&ca=${ca}`,
    };
    const one = new Redis({
      ...redisOptions(addresses["a server"](login, file("certificate.pem")), "rooms"),
      port: node.port,
    });
    await one.cluster("ADDSLOTSRANGE" as never, 0 as never, 16383 as never);
    await until("the cluster serves", async () => (await one.cluster("INFO")).includes("cluster_state:ok"), 10_000);
    one.disconnect();
    const asked = () => checkRedis(addresses["the server that Sentinels name"](login, file("certificate.pem")));
    const isUsed = () =>
      asked().then(
        () => true,
        () => false,
      );
    await until("Sentinel knows its server", isUsed, 20_000);
  });
  after(async () => {
    if (sentinel?.kill("SIGKILL")) await once(sentinel, "exit");
    await Promise.all(servers.map((server) => server.stop()));
    servers = [];
    await rm(folder, { recursive: true, force: true });
  });

  for (const form of forms) {
    it(`is used as ${form}`, async () => {
      await checkRedis(addresses[form](login, file("certificate.pem")));
      const options = redisOptions(addresses[form](login, file("certificate.pem")), "bus");
      const redis = new Redis({ ...options, failoverDetector: false });
      try {
        await redis.set("key", "value");
        expect([await redis.get("key"), await redis.acl("WHOAMI")]).to.deep.equal(["value", user]);
      } finally {
        redis.disconnect();
      }
    });

    it(`is refused as ${form} with another password or authority, without showing a password`, async () => {
      const refused = async (url: string) =>
        checkRedis(url).then(
          () => "used",
          (error: Error) => error.message,
        );
      const messages = [
        await refused(addresses[form](`${user}:wrong-password`, file("certificate.pem"))),
        await refused(addresses[form](login, file("other.pem"))),
      ];
      expect(messages[0]).to.match(/^Can't use the Redis .*(WRONGPASS|sentinels are unreachable)/i);
      expect(messages[1]).to.match(/^Can't use the Redis .*(certificate|sentinels are unreachable)/i);
      for (const secret of [password, encodeURIComponent(password), ofSentinel, "wrong-password"])
        expect(messages.join()).to.not.include(secret);
    });
  }
});
