import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Actors } from "#shared/contracts/actors.ts";
import { jobs } from "#shared/db/jobs.ts";
import { migrate } from "#shared/db/migrate.ts";
import { queryOne } from "#shared/db/query.ts";
import { closeReplica, openReplica } from "#shared/db/replica.ts";
import { closeDatabase, openDatabase } from "#shared/db/sequelize.ts";
import { startSignals, stopSignals } from "#shared/db/signals.ts";
import { httpJudge } from "#shared/domain/base/filter/judge/http-judge.ts";
import { sandboxJudge } from "#shared/domain/base/filter/judge/sandbox-judge.ts";
import { stopReadingMedia } from "#shared/domain/base/media/process-media.ts";
import { sandboxProvider } from "#shared/domain/catalogue/orders/fulfilment/sandbox.ts";
import { makeSandboxKyc } from "#shared/domain/identity/kyc/kyc-provider.ts";
import { closeMail } from "#shared/domain/identity/mail/send.ts";
import { withDemoProviders } from "#shared/domain/identity/sign-in/demo-providers.ts";
import { moneyOfAccounts } from "#shared/domain/money/signup/signup-bonus.ts";
import { withDemoStore } from "#shared/domain/money/stores/apple/demo-store.ts";
import { createSuperAdmin } from "#shared/domain/operations/admins/create-super-admin.ts";
import { prepareDemo } from "#shared/domain/operations/demo/prepare-demo.ts";
import { extensionJobs } from "#shared/domain/operations/extensions/handle-events.ts";
import { configureHealth } from "#shared/domain/operations/health/health.ts";
import { loadedExtensions } from "#shared/extension/loaded.ts";
import { setPublicAddress } from "#shared/kernel/public-address.ts";
import { connectCounters } from "#shared/kernel/rate-limiter.ts";
import { checkRedis } from "#shared/start/check-redis.ts";
import type { Config } from "#shared/start/config.ts";
import { closeServer, listen, makeServer, networkUrls } from "#shared/start/http-server.ts";
import { Parts } from "#shared/start/parts.ts";
import type { Service } from "#shared/start/serve.ts";
import type { ServiceDatabase } from "#shared/start/start-database.ts";
import { startTable } from "#shared/start/start-table.ts";
import { allApis } from "../../api/apis.ts";
import { makeApp } from "../../api/app.ts";
import { assertExtensionsFit } from "../../api/extensions.ts";
import { operationsApp, shuttingDown } from "../../api/health/health.ts";
import { startWorkers } from "../../api/jobs/jobs.ts";
import { startEngine } from "../../engine/server.ts";
import { configureDomain, type DomainConfiguration } from "./configure-domain.ts";
import { bindPorts } from "./extensions/hub.ts";
import { connectActors, ports } from "./extensions/ports.ts";
import { startWatchdog } from "./extensions/watchdog.ts";
import { mediaSetup } from "./media-setup.ts";
import { paymentsSetup, payoutProviders } from "./payments-setup.ts";
import { configureSecrets } from "./secret-commands.ts";
import { googlePlaySetup, storesSetup } from "./stores-setup.ts";

/**
 * Starts all parts that the configuration assigns to this process, and releases the database in the end. Can be called
 * once per process.
 * @throws OperatorError for what the operator must fix: a port in use, or an unreachable Redis.
 */
export async function startService(config: Config, database: ServiceDatabase): Promise<Service> {
  const parts = new Parts();
  parts.defer("the database server", database.release);
  try {
    if (config.tracing) {
      const { startTracing } = await import("#shared/kernel/start-tracing.ts");
      parts.defer("tracing", startTracing(config.tracing));
    }
    if (config.redisUrl) await checkRedis(config.redisUrl);
    await migrate(database.directUrl);
    await openDatabase(database.url, database.directUrl);
    parts.defer("the connections to the database", closeDatabase);
    if (config.databaseReplica) await openReplica(config.databaseReplica);
    parts.defer("the connections to the replica", closeReplica);
    const redis = config.redisUrl ? connectCounters(config.redisUrl) : undefined;
    parts.defer("the counters", () => redis?.disconnect());
    configureDomain(await domainOf(config, redis));
    if (config.admin) await createSuperAdmin({ ...config.admin, fullName: "Administrator" });
    if (loadedExtensions.length > 0) {
      const folders = loadedExtensions.map(({ name, folder }) => [name, folder]);
      parts.defer("the watch over extensions", startWatchdog(Object.fromEntries(folders)));
    }
    const { url, metricsUrl } = await startParts({ ...config, ...(redis && { redis }) }, parts);
    // Its pictures have addresses of this service.
    const demo = await prepareDemo(config.environment);
    await database.announce(url);
    if (config.demoBots) {
      const { startDemoWorld } = await import("./demo/start-demo-world.ts");
      parts.defer("the demo world", startDemoWorld(config, url));
    }
    return {
      url,
      table: startTable(config, { url, ...demo, ...(metricsUrl && { metricsUrl }) }),
      drainMs: config.drainMs,
      stop: () => parts.stop(),
      stopping: () => parts.stopping,
    };
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

async function domainOf(config: Config, redis: Redis | undefined): Promise<DomainConfiguration> {
  const { environment, dataDir, livekit, mail, openId, push, rateLimits } = config;
  const isProduction = environment === "production";
  const accessTokens = await configureSecrets(config);
  const payments = await paymentsSetup(config);
  return {
    accessTokens,
    accounts: moneyOfAccounts,
    eventSinks: config.eventSinks,
    evidence: livekit && { folder: join(dataDir, "voice-evidence"), url: config.voiceEvidenceUrl },
    fulfilment: isProduction ? undefined : sandboxProvider,
    googlePlay: googlePlaySetup(config),
    judge: config.judge ? httpJudge(config.judge) : isProduction ? undefined : sandboxJudge,
    kyc: payments.sandbox && makeSandboxKyc(payments.sandbox.webhookSecrets),
    limits: { enabled: rateLimits, ...(redis && { redis }) },
    mail: { ...mail, keepsUnsent: !isProduction },
    media: mediaSetup(config, accessTokens),
    openId: environment === "development" ? await withDemoProviders(openId) : openId,
    payments,
    payouts: payoutProviders(config, payments),
    push,
    resetLink: mail.resetPasswordUrl,
    settings: { production: isProduction },
    stores: await withDemoStore(await storesSetup(config), environment),
    voice: livekit,
    webhooks: { allowLoopback: !isProduction },
  };
}

type PartsConfig = Pick<
  Config,
  | "environment"
  | "roles"
  | "host"
  | "port"
  | "publicUrl"
  | "trustedProxies"
  | "metricsPort"
  | "drainMs"
  | "redisUrl"
  | "corsOrigins"
  | "adminCorsOrigins"
  | "rateLimits"
> & { readonly redis?: Redis };

/**
 * Starts the parts of the process's roles on the open database, and listens on the port. The only place that knows both
 * the engine and the REST facade. Registers what must be stopped in `parts`, which stops it in reverse order.
 */
export async function startParts(
  config: PartsConfig,
  parts: Parts,
): Promise<{ url: string; metricsUrl?: string; actors: Actors }> {
  const { host, roles, redis, corsOrigins, adminCorsOrigins, trustedProxies, rateLimits, metricsPort, drainMs } =
    config;
  const isProduction = config.environment === "production";
  bindPorts(ports);
  parts.defer("mail", closeMail);
  await startSignals();
  parts.defer("signals", stopSignals);
  // Tests move the clock: scheduled jobs would count hours that have not passed.
  const work = roles.includes("jobs");
  extensionJobs();
  await jobs.start({ work, timed: work && config.environment !== "test" });
  parts.defer("jobs", () => jobs.stop());

  let ending = false;
  let app: RequestListener = (_req, res) => void res.writeHead(503).end();
  // Socket.IO handles its own requests and passes the others to the previous listener.
  const http = makeServer((req, res) => {
    // The client's next request goes to another process.
    if (ending) res.setHeader("Connection", "close");
    app(req, res);
  });
  const engine = await startEngine({ ...config, http, hosts: roles.includes("engine") });
  const { actors, matchmake } = engine;
  parts.defer("the engine", engine.stop);
  connectActors(actors);
  configureHealth({ nodes: engine.nodes, ...(redis && { redis }) });
  parts.defer("the reader of media", stopReadingMedia);
  if (roles.includes("jobs")) parts.defer("workers", await startWorkers({ actors }));
  const readiness = async () => [...(ending ? [shuttingDown] : []), ...(await missingParts(redis))];
  assertExtensionsFit(allApis({ actors }));
  app = makeApp({
    actors,
    corsOrigins,
    privateOrigins: adminCorsOrigins,
    trustedProxies,
    rateLimits,
    serveApi: roles.includes("api"),
    devPages: !isProduction,
    ...(metricsPort === undefined && !isProduction && { readiness }),
    before: matchmake,
    ...(redis && { redis }),
  });
  const operations = metricsPort === undefined ? undefined : makeServer(operationsApp(readiness));
  const metricsUrl = operations && (await listen(operations, host, metricsPort!));
  if (operations) parts.defer("the port of the metrics", () => closeServer(operations));
  const url = await listen(http, host, config.port);
  // Links must also work on the phone that called over the network.
  setPublicAddress(config.publicUrl ?? networkUrls(host, url)[0] ?? url);
  parts.defer("the port", () => closeServer(http));
  parts.defer("connections and rooms", async () => {
    ending = true;
    if (drainMs > 0) await Promise.all([engine.moveAway(drainMs), pause(drainMs)]);
  });
  await engine.listening((http.address() as AddressInfo).port);
  return { url, actors, ...(metricsUrl && { metricsUrl }) };
}

/** Returns the names of the dependencies that can't be reached. */
async function missingParts(redis?: Redis): Promise<string[]> {
  const reaches = async (name: string, ask: () => Promise<unknown>) =>
    ask().then(
      () => [],
      () => [name],
    );
  const asked = await Promise.all([
    reaches("database", () => queryOne("SELECT 1")),
    // A Redis that is full, or a replica, reads but doesn't write.
    redis ? reaches("redis", () => redis.set("hubbub:ready", 1, "PX", 1000)) : [],
  ]);
  return asked.flat();
}
