import { existsSync } from "node:fs";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import type { Redis } from "ioredis";
import { makeApp } from "./api/app.ts";
import { writeClientModules, writeDocuments } from "./api/docs/write-documents.ts";
import { operationsApp } from "./api/health/health.ts";
import { startWorkers } from "./api/jobs/jobs.ts";
import { addAuditCommands } from "./audit-commands.ts";
import { addBackupCommands } from "./backup-commands.ts";
import { addDataCommands } from "./data-commands.ts";
import { startEngine } from "./engine/server.ts";
import { addSecretCommands, configureSecrets } from "./secret-commands.ts";
import type { Actors } from "./shared/contracts/actors.ts";
import { jobs } from "./shared/db/jobs.ts";
import { migrate } from "./shared/db/migrate.ts";
import { queryOne } from "./shared/db/query.ts";
import { closeDatabase, openDatabase } from "./shared/db/sequelize.ts";
import { startSignals, stopSignals } from "./shared/db/signals.ts";
import { configureLoginLimits } from "./shared/domain/accounts/login-limits.ts";
import { configureMessageLimits } from "./shared/domain/accounts/message-limits.ts";
import { configureResetLink } from "./shared/domain/accounts/password-reset.ts";
import { configureCodeTries } from "./shared/domain/admins/code-tries.ts";
import { createSuperAdmin } from "./shared/domain/admins/create-super-admin.ts";
import { configureFulfilment } from "./shared/domain/catalogue/fulfilment/fulfil-order.ts";
import { sandboxProvider } from "./shared/domain/catalogue/fulfilment/sandbox.ts";
import { prepareDemo } from "./shared/domain/demo/prepare-demo.ts";
import { configureHealth } from "./shared/domain/health/health.ts";
import { closeMail, configureMail } from "./shared/domain/mail/send.ts";
import { configurePayments, type PaymentsSetup } from "./shared/domain/payments/payments.config.ts";
import { configurePush } from "./shared/domain/push/push.config.ts";
import { configureAccessTokens } from "./shared/domain/sessions/access-token.ts";
import { configureSettings } from "./shared/domain/settings/settings.ts";
import { configureVoice } from "./shared/domain/voice/voice.config.ts";
import { configureWebhooks } from "./shared/domain/webhooks/post-webhook.ts";
import { configureLogger } from "./shared/kernel/logger.ts";
import { nearestName } from "./shared/kernel/nearest-name.ts";
import { OperatorError } from "./shared/kernel/operator-error.ts";
import { setPublicAddress } from "./shared/kernel/public-address.ts";
import { connectCounters } from "./shared/kernel/rate-limiter.ts";
import { checkRedis } from "./shared/start/check-redis.ts";
import {
  type Config,
  effectiveEnvironment,
  exampleEnvironment,
  loadConfig,
  misspelledVariables,
} from "./shared/start/config.ts";
import { loadOrCreateSecret } from "./shared/start/data-folder.ts";
import { closeServer, listen, makeServer, networkUrls } from "./shared/start/http-server.ts";
import { reportFailure, type Service, serve } from "./shared/start/serve.ts";
import { startDatabase } from "./shared/start/service-database.ts";
import { startTable } from "./shared/start/start-table.ts";

/**
 * Starts all parts that the configuration assigns to this process. Can be called once per process.
 * @param onLost called if the embedded database stops unexpectedly
 * @throws OperatorError for what the operator must fix: a port or data folder in use, an unreachable database or Redis.
 */
export async function startService(config: Config, onLost: () => void = () => {}): Promise<Service> {
  const parts = new AsyncDisposableStack();
  try {
    if (config.tracing) {
      const { startTracing } = await import("./shared/kernel/start-tracing.ts");
      parts.defer(startTracing(config.tracing));
    }
    if (config.redisUrl) await checkRedis(config.redisUrl);
    const database = await startDatabase(config, "start", onLost);
    parts.defer(database.release);
    await migrate(database.url);
    await openDatabase(database.url);
    parts.defer(closeDatabase);
    configureAccessTokens(await configureSecrets(config));
    if (config.admin) await createSuperAdmin({ ...config.admin, fullName: "Administrator" });
    const demo = await prepareDemo(config.environment);

    configureVoice(config.livekit);
    configurePush(config.push);
    configureFulfilment(config.environment === "production" ? undefined : sandboxProvider);
    configureWebhooks({ allowLoopback: config.environment !== "production" });
    configurePayments(await paymentsSetup(config));
    const { url, metricsUrl } = await startParts(config, parts);
    await database.announce(url);
    return {
      url,
      table: startTable(config, { url, ...demo, ...(metricsUrl && { metricsUrl }) }),
      drainMs: config.drainMs,
      stop: () => parts.disposeAsync(),
    };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

/** Returns the setup of payments. For the sandbox, adds its secrets from the environment or the data folder. */
async function paymentsSetup({ payments, dataDir }: Config): Promise<PaymentsSetup> {
  const { provider, razorpay, sandbox } = payments;
  return {
    ...(provider && { provider }),
    ...(razorpay && { razorpay }),
    ...(provider === "sandbox" && {
      sandbox: {
        keySecrets: sandbox.keySecrets ?? [await loadOrCreateSecret(dataDir, "sandbox-key-secret")],
        webhookSecrets: sandbox.webhookSecrets ?? [await loadOrCreateSecret(dataDir, "sandbox-webhook-secret")],
      },
    }),
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
  | "mail"
>;

/**
 * Starts the parts of the process's roles on the open database, and listens on the port. The only place that knows both
 * the engine and the REST facade. Registers what must be stopped in `parts`, which stops it in reverse order.
 */
export async function startParts(
  config: PartsConfig,
  parts: AsyncDisposableStack,
): Promise<{ url: string; metricsUrl?: string; actors: Actors }> {
  const { host, roles, redisUrl, corsOrigins, adminCorsOrigins, trustedProxies, rateLimits, metricsPort, drainMs } =
    config;
  const isProduction = config.environment === "production";
  const redis = redisUrl ? connectCounters(redisUrl) : undefined;
  parts.defer(() => void redis?.disconnect());
  configureSettings({ production: config.environment === "production" });
  configureLoginLimits({ enabled: rateLimits, ...(redis && { redis }) });
  configureCodeTries({ enabled: rateLimits, ...(redis && { redis }) });
  configureMessageLimits({ enabled: rateLimits, ...(redis && { redis }) });
  configureMail({ ...config.mail, keepsUnsent: !isProduction });
  parts.defer(closeMail);
  configureResetLink(config.mail.resetPasswordUrl);
  await startSignals();
  parts.defer(stopSignals);
  // Tests move the clock: scheduled jobs would count hours that have not passed.
  const work = roles.includes("jobs");
  await jobs.start({ work, timed: work && config.environment !== "test" });
  parts.defer(() => jobs.stop());

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
  parts.defer(engine.stop);
  configureHealth({ nodes: engine.nodes, ...(redis && { redis }) });
  if (roles.includes("jobs")) parts.defer(await startWorkers({ actors }));
  const readiness = async () => [...(ending ? ["the process is shutting down"] : []), ...(await missingParts(redis))];
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
  if (operations) parts.defer(() => closeServer(operations));
  const url = await listen(http, host, config.port);
  // Links must also work on the phone that called over the network.
  setPublicAddress(config.publicUrl ?? networkUrls(host, url)[0] ?? url);
  parts.defer(() => closeServer(http));
  parts.defer(async () => {
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
    redis ? reaches("redis", () => redis.ping()) : [],
  ]);
  return asked.flat();
}

/** Reads the environment and, for variables not set, the file `.env` next to this one. Configures the logger. */
function readConfig(): Config {
  const file = fileURLToPath(new URL(".env", import.meta.url));
  if (process.env.NODE_ENV !== "test" && existsSync(file)) process.loadEnvFile(file);
  const config = loadConfig(process.env);
  configureLogger({ level: config.logLevel, pretty: process.stdout.isTTY });
  for (const text of misspelledVariables(process.env)) console.error(text);
  return config;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

function configCommand({ example }: { example?: true }): void {
  if (example) return void process.stdout.write(exampleEnvironment());
  readConfig();
  process.stdout.write(effectiveEnvironment(process.env));
}

async function openApiCommand(folder: string): Promise<void> {
  const { publicUrl, port } = readConfig();
  const paths = await writeDocuments(folder, publicUrl ?? `http://127.0.0.1:${port}`);
  print(`Wrote:\n${paths.join("\n")}`);
}

function commands(): Command {
  const program = new Command("hubbub").description("The backend of a social live-audio app.");
  program
    .command("start", { isDefault: true })
    .description("run the service (environment variables: see .env.example)")
    .action(() => serve((onLost) => startService(readConfig(), onLost)));
  addDataCommands(program, readConfig);
  addAuditCommands(program, readConfig);
  addBackupCommands(program, readConfig);
  addSecretCommands(program, readConfig);
  program
    .command("openapi")
    .description("write openapi.json and asyncapi.json to a folder, without a database")
    .argument("[folder]", "folder to write to", "dist")
    .action(openApiCommand);
  program
    .command("client-types")
    .description("write the generated modules of the typed client, without a database")
    .action(async () => print(`Wrote:\n${(await writeClientModules()).join("\n")}`));
  program
    .command("config")
    .description("print the current configuration without secrets")
    .option("--example", "print .env.example instead")
    .action(configCommand);
  return program;
}

/** @throws OperatorError for a command that doesn't exist; commander would take it for an argument of `start`. */
function assertCommand(program: Command, name: string | undefined): void {
  const known = [...program.commands.map((command) => command.name()), "help"];
  if (name === undefined || name.startsWith("-") || known.includes(name)) return;
  const nearest = nearestName(name, known);
  throw new OperatorError(
    `Unknown command "${name}".${nearest ? ` Did you mean "${nearest}"?` : ""} Commands: ${known.join(", ")}.`,
  );
}

async function runCommand(): Promise<void> {
  const program = commands();
  assertCommand(program, process.argv[2]);
  await program.parseAsync();
}

if (import.meta.main) await runCommand().catch(reportFailure);
