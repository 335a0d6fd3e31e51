import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import pg from "pg";
import { parse } from "yaml";
import { loadConfig, misspelledVariables } from "../start/config.ts";
import { describeVariable, variableNames } from "../start/environment.ts";
import { type Balancer, type Place, startBalancer } from "./balancer.ts";
import { closeClients, connectSocket, joinNative } from "./clients/clients.ts";
import { createDatabase } from "./database.ts";
import { freePort } from "./free-port.ts";
import { startRedis, type TestRedis } from "./redis.ts";
import {
  callApi,
  openRoom,
  register,
  runProgram,
  type SpawnedService,
  spawnService,
  stopServices,
} from "./spawned-service.ts";
import { until } from "./until.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const operations = join(root, "docs/operations");
const read = (path: string) => readFile(join(root, path), "utf8");

interface ComposeService {
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly network_mode?: string;
}
const services = async (): Promise<Record<string, ComposeService>> =>
  parse(await read("docker-compose.yml"), { merge: true }).services;

const asText = (variables: object) =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, `${value}`]));

describe("the deployments in docker-compose.yml and docs/operations", function () {
  this.timeout(60_000);

  describe("docker-compose.yml", () => {
    it("starts two processes that differ only in their ports, which the balancer and Prometheus know", async () => {
      const { "app-a": a, "app-b": b } = await services();
      const configs = [a, b].map((app) => loadConfig(asText(app!.environment!)));
      const { port: _port, metricsPort: _metricsPort, ...rest } = configs[0]!;
      expect(configs[1]).to.deep.include(rest);
      for (const app of [a, b]) expect(misspelledVariables(asText(app!.environment!))).to.deep.equal([]);

      const [balancer, prometheus] = await Promise.all(
        ["haproxy.cfg", "prometheus.yml"].map((name) => read(`docs/operations/${name}`)),
      );
      const serversLike = (line: RegExp) => [...balancer!.matchAll(line)].map(([, ...ports]) => ports.map(Number));
      expect(serversLike(/server \w 127\.0\.0\.1:(\d+) port (\d+)/g)).to.deep.equal(
        configs.map(({ port, metricsPort }) => [port, metricsPort]),
      );
      expect(serversLike(/server \w-unready 127\.0\.0\.1:(\d+) backup/g)).to.deep.equal(
        [...configs, ...configs].map(({ port }) => [port]),
      );
      const { targets } = parse(prometheus!).scrape_configs[0].static_configs[0];
      expect(targets).to.deep.equal(configs.map(({ metricsPort }) => `127.0.0.1:${metricsPort}`));
    });

    it("checks the health of everything that it starts, and gives the service no privileges", async () => {
      const all = (await services()) as Record<string, Record<string, unknown>>;
      const ours = Object.keys(all).filter((name) => name.startsWith("app-"));
      // The image of the service has a check of its own.
      for (const [name, { healthcheck }] of Object.entries(all))
        if (!ours.includes(name)) expect(healthcheck, name).to.be.an("object");
      for (const name of ours)
        expect(all[name]).to.deep.include({ cap_drop: ["ALL"], read_only: true, tmpfs: ["/tmp"] });
    });

    it("pins each image to an exact version, as the Dockerfile does", async () => {
      const named = Object.entries((await services()) as Record<string, { image?: string }>).flatMap(
        ([name, { image }]) => (image ? [[name, image]] : []),
      );
      const bases = [...(await read("Dockerfile")).matchAll(/^FROM (\S+)/gm)].map(([, image]) => [
        "Dockerfile",
        image!,
      ]);
      expect([named.length, bases.length]).to.deep.equal([6, 2]);
      for (const [name, image] of [...named, ...bases])
        expect(image, name).to.match(/:v?\d+\.\d+\.\d+(-[a-z]+)*$|^postgres:\d+\.\d+$|@sha256:[0-9a-f]{64}$/);
      expect(new Set(bases.map(([, image]) => image)).size).to.equal(1);
    });

    it("names only files and services that exist", async () => {
      const all = await services();
      for (const [name, { volumes = [], depends_on = {}, network_mode }] of Object.entries(all)) {
        for (const other of [
          ...Object.keys(depends_on),
          ...(network_mode ? [network_mode.replace("service:", "")] : []),
        ])
          expect(all, name).to.have.property(other);
        for (const volume of volumes) if (volume.startsWith("./")) await access(join(root, volume.split(":")[0]!));
      }
    });
  });

  it("has secrets that docs/operations.md says how to rotate", async () => {
    const guide = await read("docs/operations.md");
    const rotation = guide.slice(guide.indexOf("## Rotate secrets"), guide.indexOf("## Dead letters"));
    const withPassword = ["DATABASE_URL", "REDIS_URL", "SMTP_URL"];
    const secrets = variableNames.filter((name) => describeVariable(name).secrecy === "secret");

    expect(secrets.length).to.be.greaterThan(8);
    for (const name of [...secrets, ...withPassword]) expect(rotation).to.include(`\`${name}\``);
  });

  describe("two processes behind the balancer, watched by Prometheus", () => {
    let folder: string;
    let databaseUrl: string;
    let redis: TestRedis;
    let balancer: Balancer;
    let prometheus: ChildProcess;
    let prometheusUrl: string;
    let apps: SpawnedService[];
    let places: [Place, Place];

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "deployment-"));
      redis = await startRedis();
      databaseUrl = await createDatabase({ migrated: true });
      const addresses = {
        DATABASE_URL: databaseUrl,
        REDIS_URL: redis.url,
        DATA_DIR: folder,
      };
      const { "app-a": a } = await services();
      const { PUBLIC_URL: _publicUrl, LIVEKIT_URL: _livekitUrl, ...environment } = asText(a!.environment!);
      places = await Promise.all([place(), place()]);
      const start = ({ port, metricsPort }: Place) =>
        spawnService({
          ...environment,
          ...addresses,
          // Without demo data and voice, which this test doesn't need.
          NODE_ENV: "test",
          LIVEKIT_API_KEY: "",
          LIVEKIT_API_SECRET: "",
          PORT: `${port}`,
          METRICS_PORT: `${metricsPort}`,
        });
      apps = [await start(places[0]), await start(places[1])];
      [balancer, prometheusUrl] = await Promise.all([startBalancer(places), startPrometheus(places)]);
    });
    after(async () => {
      await closeClients();
      await stopServices();
      prometheus.kill("SIGKILL");
      await Promise.all([balancer?.stop(), redis.stop(), once(prometheus, "exit")]);
      await rm(folder, { recursive: true, force: true });
    });

    const place = async (): Promise<Place> => ({ port: await freePort(), metricsPort: await freePort() });

    async function startPrometheus(places: readonly Place[]): Promise<string> {
      const config = parse(await read("docs/operations/prometheus.yml"));
      config.global.scrape_interval = "1s";
      config.rule_files = [join(operations, "alerts.yml")];
      config.scrape_configs[0].static_configs[0].targets = places.map(({ metricsPort }) => `127.0.0.1:${metricsPort}`);
      const file = join(folder, "prometheus.json"); // JSON is YAML.
      await writeFile(file, JSON.stringify(config));
      const address = `127.0.0.1:${await freePort()}`;
      prometheus = spawn(
        "prometheus",
        [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, "metrics")}`, `--web.listen-address=${address}`],
        { stdio: "ignore" },
      );
      return `http://${address}`;
    }
    /** Evaluates an expression; undefined while Prometheus starts. */
    async function evaluated(expression: string): Promise<string[] | undefined> {
      const url = `${prometheusUrl}/api/v1/query?query=${encodeURIComponent(expression)}`;
      const response = await fetch(url).catch(() => undefined);
      if (!response?.ok) return undefined;
      const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
      return data.result.map(({ value }) => value[1]);
    }

    const messagesOf = async (url: string) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query<{ id: string }>("SELECT id FROM room_messages ORDER BY id");
      await client.end();
      return rows.map(({ id }) => id);
    };

    /** The number of rows of each table with some, in a backup and in a database. */
    const rowsInBackup = (text: string) =>
      Object.fromEntries(
        [...text.matchAll(/^COPY public\.(\S+) .*\n((?:(?!\\\.).*\n)*)/gm)]
          .map(([, table, rows]) => [table!, rows!.split("\n").length - 1] as const)
          .filter(([, rows]) => rows > 0),
      );
    const rowsIn = async (url: string, tables: readonly string[]) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const counts = tables.map((table) => `SELECT '${table}' AS name, count(*)::int AS rows FROM ${table}`);
      const { rows } = await client.query<{ name: string; rows: number }>(counts.join(" UNION ALL "));
      await client.end();
      return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]));
    };

    it("are restored into another database, as they were at one moment while they served", async () => {
      const [a, b] = apps as [SpawnedService, SpawnedService];
      const [file, other] = [join(folder, "backup.sql.gz"), await createDatabase({ migrated: false })];
      const [ada, bob] = await Promise.all([register(a), register(b)]);
      const room = await openRoom(a, ada);
      const talk = await connectSocket(b.url, bob.token);
      expect((await talk.ask("room:join", { room_id: room })).success).to.equal(true);

      const said: string[] = [];
      let isMade = false;
      const say = async () => said.push((await talk.ask("room:message", { room_id: room, body: "Hello." })).data.id);
      const using = [say, () => register(a)].map(async (use) => {
        while (!isMade) await use();
      });
      await until("it is used", () => said.length > 5);
      const acknowledged = said.length;
      const made = await runProgram(["main.ts", "backup", file], { DATABASE_URL: databaseUrl, DATA_DIR: folder });
      isMade = true;
      await Promise.all(using);
      const restored = await runProgram(["main.ts", "restore", file], { DATABASE_URL: other, DATA_DIR: folder });

      expect(made.exitCode, made.output).to.equal(0);
      expect(restored.exitCode, restored.output).to.equal(0);
      const media = join(folder, "media");
      expect(made.output).to.include(`Uploaded pictures and files aren't in it: also keep ${media}.`);
      expect(restored.output).to.include(`The files of 0 uploads aren't in it: they must be in ${media}.`);
      expect(restored.output).to.include("The ledger and the audit log are consistent.");
      const saved = rowsInBackup(gunzipSync(await readFile(file)).toString());
      expect(saved).to.include.keys("users", "wallets", "ledger_entries", "rooms", "room_messages");
      expect(await rowsIn(other, Object.keys(saved))).to.deep.equal(saved);
      const messages = await messagesOf(other);
      expect(messages.length).to.be.at.least(acknowledged);
      expect(messages).to.deep.equal(said.slice(0, messages.length));
    });

    it("answer themselves while none of them is ready", async () => {
      const { token } = await register(apps[0]!);
      redis.freeze();
      try {
        const isUnready = ({ metricsPort }: Place) =>
          fetch(`http://127.0.0.1:${metricsPort}/readyz`).then(({ status }) => status === 503);
        await until("none is ready", async () => (await Promise.all(places.map(isUnready))).every(Boolean), 20_000);
        // The balancer notices within these.
        for (let count = 0; count < 30; count += 1) {
          expect((await callApi(balancer.url, "get", "/wallet", { token })).status).to.equal(200);
          await pause(100);
        }
      } finally {
        redis.thaw();
      }
    });

    it("serve REST, Socket.IO, and native clients at one address, also when one of them is killed", async () => {
      const { url } = balancer;
      const call: SpawnedService["call"] = (...request) => callApi(url, ...request);
      const through = { ...apps[0]!, url, call };
      const [ada, bob] = await Promise.all([register(through), register(through)]);
      const room = await openRoom(through, ada);
      const [host, guest] = await Promise.all([connectSocket(url, ada.token), connectSocket(url, bob.token)]);
      for (const client of [host, guest])
        expect((await client.ask("room:join", { room_id: room })).success).to.equal(true);
      const native = await joinNative(url, bob.token, { room_id: room });
      await host.ask("room:message", { room_id: room, body: "Hello." });
      await Promise.all([guest, native].map(({ inbox }) => inbox.next("room:new_message")));
      await until("Prometheus sees both", async () => (await evaluated("sum(up)"))?.[0] === "2", 20_000);

      await apps[1]!.stop("SIGKILL");
      await until(
        "the balancer has noticed",
        async () => (await call("get", "/rooms", { token: ada.token }).catch(() => undefined))?.status === 200,
      );
      for (let count = 0; count < 10; count += 1)
        expect((await call("get", `/rooms/${room}`, { token: ada.token })).status).to.equal(200);
      await until("Prometheus sees one", async () => (await evaluated("sum(up)"))?.[0] === "1", 20_000);
    });
  });
});
