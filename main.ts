import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import type { Redis } from "ioredis";
import { makeApp } from "./api/app.ts";
import { startWorkers } from "./api/jobs/jobs.ts";
import { startEngine } from "./engine/server.ts";
import type { Actors } from "./shared/contracts/actors.ts";
import { jobs } from "./shared/db/jobs.ts";
import { migrate } from "./shared/db/migrate.ts";
import { queryOne } from "./shared/db/query.ts";
import { closeDatabase, openDatabase } from "./shared/db/sequelize.ts";
import { startSignals, stopSignals } from "./shared/db/signals.ts";
import { configureLoginLimits } from "./shared/domain/accounts/login-limits.ts";
import { configureMessageLimits } from "./shared/domain/accounts/message-limits.ts";
import { configureResetLink } from "./shared/domain/accounts/password-reset.ts";
import { createSuperAdmin } from "./shared/domain/admins/create-super-admin.ts";
import { seedDemo } from "./shared/domain/demo/seed-demo.ts";
import { checkLedger } from "./shared/domain/ledger/check-ledger.ts";
import { closeMail, configureMail } from "./shared/domain/mail/send.ts";
import { configurePayments, type PaymentsSetup } from "./shared/domain/payments/payments.config.ts";
import { configurePush } from "./shared/domain/push/push.config.ts";
import { configureAccessTokens } from "./shared/domain/sessions/access-token.ts";
import { configureVoice } from "./shared/domain/voice/voice.config.ts";
import { configureLogger } from "./shared/kernel/logger.ts";
import { OperatorError } from "./shared/kernel/operator-error.ts";
import { setPublicAddress } from "./shared/kernel/public-address.ts";
import { connectCounters } from "./shared/kernel/rate-limiter.ts";
import { checkRedis } from "./shared/start/check-redis.ts";
import { type Config, effectiveEnvironment, exampleEnvironment, loadConfig } from "./shared/start/config.ts";
import { keptSecret } from "./shared/start/data-folder.ts";
import { environment } from "./shared/start/environment.ts";
import { closeServer, listen } from "./shared/start/http-server.ts";
import { reportFailure, type Service, serve } from "./shared/start/serve.ts";
import { startDatabase, withDatabase } from "./shared/start/service-database.ts";
import { startTable } from "./shared/start/start-table.ts";

/**
 * Starts everything that the configuration asks of this process. Once a process. `onLost` is called when the service
 * cannot go on because its embedded database ended.
 * @throws OperatorError for what whoever runs it must mend: a taken port, a data folder in use, a database or Redis out of reach.
 */
export async function startService(config: Config, onLost: () => void = () => {}): Promise<Service> {
  const parts = new AsyncDisposableStack();
  try {
    if (config.redisUrl) await checkRedis(config.redisUrl);
    const database = await startDatabase(config, "start", onLost);
    parts.defer(database.release);
    await migrate(database.url);
    await openDatabase(database.url);
    parts.defer(closeDatabase);
    configureAccessTokens(config.jwtSecret ?? (await keptSecret(config.dataDir, "jwt-secret")));
    const demoLogins = config.environment === "development" ? await seedDemo() : [];
    if (config.admin) await createSuperAdmin({ ...config.admin, fullName: "Administrator" });

    configureVoice(config.livekit);
    configurePush(config.push);
    configurePayments(await paymentsSetup(config));
    const { url } = await startParts(config, parts);
    await database.announce(url);
    return { url, table: startTable(config, { url, demoLogins }), stop: () => parts.disposeAsync() };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

/** With the secrets of the sandbox, where it is chosen: those that are set, or those that the data folder keeps. */
async function paymentsSetup({ payments, dataDir }: Config): Promise<PaymentsSetup> {
  const { provider, razorpay, sandbox } = payments;
  return {
    ...(provider && { provider }),
    ...(razorpay && { razorpay }),
    ...(provider === "sandbox" && {
      sandbox: {
        keySecrets: sandbox.keySecrets ?? [await keptSecret(dataDir, "sandbox-key-secret")],
        webhookSecrets: sandbox.webhookSecrets ?? [await keptSecret(dataDir, "sandbox-webhook-secret")],
      },
    }),
  };
}

type PartsConfig = Pick<
  Config,
  "environment" | "roles" | "host" | "port" | "publicUrl" | "redisUrl" | "corsOrigins" | "rateLimits" | "mail"
>;

/**
 * Starts what the roles ask for, on the database that is open, and opens the port; the one place that knows the engine
 * and the REST facade. What is to end is left in `parts`: last started, first ended.
 */
export async function startParts(
  config: PartsConfig,
  parts: AsyncDisposableStack,
): Promise<{ url: string; actors: Actors }> {
  const { host, roles, redisUrl, corsOrigins, rateLimits } = config;
  const redis = redisUrl ? connectCounters(redisUrl) : undefined;
  parts.defer(() => void redis?.disconnect());
  configureLoginLimits({ enabled: rateLimits, ...(redis && { redis }) });
  configureMessageLimits({ enabled: rateLimits, ...(redis && { redis }) });
  configureMail({ ...config.mail, keepsUnsent: config.environment !== "production" });
  parts.defer(closeMail);
  configureResetLink(config.mail.resetPasswordUrl);
  await startSignals();
  parts.defer(stopSignals);
  // Tests move the clock; what is timed would count hours that never were.
  const work = roles.includes("jobs");
  await jobs.start({ work, timed: work && config.environment !== "test" });
  parts.defer(() => jobs.stop());

  let app: RequestListener = (_req, res) => void res.writeHead(503).end();
  // Socket.IO takes its own requests and hands on the others to whoever listened before it.
  const http = createServer((req, res) => app(req, res));
  const hosts = roles.includes("engine");
  const engine = await startEngine({ http, host, hosts, corsOrigins, rateLimits, ...(redisUrl && { redisUrl }) });
  const { actors, matchmake } = engine;
  parts.defer(engine.stop);
  if (roles.includes("jobs")) parts.defer(await startWorkers({ actors }));
  let ending = false;
  app = makeApp({
    actors,
    corsOrigins,
    rateLimits,
    serveApi: roles.includes("api"),
    devPages: config.environment !== "production",
    readiness: async () => [...(ending ? ["the process is ending"] : []), ...(await missingParts(redis))],
    before: matchmake,
    ...(redis && { redis }),
  });
  const url = await listen(http, host, config.port);
  setPublicAddress(config.publicUrl ?? url);
  parts.defer(() => closeServer(http));
  parts.defer(() => {
    ending = true;
  });
  await engine.listening((http.address() as AddressInfo).port);
  return { url, actors };
}

/** What the process needs and does not reach now. */
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

/** Reads the environment, and the file `.env` beside this one for what is not set; sets up the log. */
function readConfig(): Config {
  const file = fileURLToPath(new URL(".env", import.meta.url));
  if (process.env.NODE_ENV !== "test" && existsSync(file)) process.loadEnvFile(file);
  const config = loadConfig(process.env);
  configureLogger({ level: config.logLevel, pretty: process.stdout.isTTY });
  return config;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function migrateCommand(): Promise<void> {
  const applied = await withDatabase(readConfig(), { command: "migrate", migrated: true }, async (names) => names);
  print(applied.length > 0 ? `Applied:\n${applied.join("\n")}` : "Nothing to apply.");
}

async function seedCommand(): Promise<void> {
  const config = readConfig();
  if (config.environment === "production")
    throw new OperatorError("Demo people have public passwords: production is not seeded.");
  const logins = await withDatabase(config, { command: "seed", migrated: true }, () => seedDemo());
  print(`Seeded. Demo logins: ${logins.map(({ username, password }) => `${username} / ${password}`).join(", ")}`);
}

interface AdminOptions {
  readonly email: string;
  readonly name: string;
  readonly password?: string;
}

async function createAdminCommand(options: AdminOptions): Promise<void> {
  const password = options.password ?? randomBytes(15).toString("base64url");
  if (environment.ADMIN_EMAIL.validate(options.email).error)
    throw new OperatorError(`"${options.email}" is no e-mail address.`);
  if (environment.ADMIN_PASSWORD.validate(password).error)
    throw new OperatorError("The password must have 12 to 128 characters.");
  const admin = { email: options.email, fullName: options.name, password };
  const made = await withDatabase(readConfig(), { command: "create-admin", migrated: true }, () =>
    createSuperAdmin(admin),
  );
  if (!made) throw new OperatorError(`There is an administrator ${options.email} already; nothing was changed.`);
  print(`Made the administrator ${options.email}.${options.password ? "" : ` Password: ${password}`}`);
}

async function checkLedgerCommand(): Promise<void> {
  const differences = await withDatabase(readConfig(), { command: "ledger-check", migrated: false }, () =>
    checkLedger(),
  );
  for (const difference of differences) print(difference);
  print(differences.length === 0 ? "The ledger is right." : `Differences: ${differences.length}.`);
  process.exitCode = differences.length === 0 ? 0 : 1;
}

function configCommand({ example }: { example?: true }): void {
  if (example) return void process.stdout.write(exampleEnvironment());
  readConfig();
  process.stdout.write(effectiveEnvironment(process.env));
}

function commands(): Command {
  const program = new Command("hubbub").description("The backend of a social live-audio app.");
  program
    .command("start", { isDefault: true })
    .description("run the service; its environment is described in .env.example")
    .action(() => serve((onLost) => startService(readConfig(), onLost)));
  program.command("migrate").description("apply missing migrations").action(migrateCommand);
  program.command("seed").description("add the demo data, where it is missing").action(seedCommand);
  program
    .command("create-admin")
    .description("make an administrator who may do everything")
    .requiredOption("--email <address>", "the login")
    .option("--name <name>", "the full name", "Administrator")
    .option("--password <password>", "12 to 128 characters; made and printed when absent")
    .action(createAdminCommand);
  program
    .command("ledger-check")
    .description("recount every coin, also beside a running service; exit code 1 and a line for each difference")
    .action(checkLedgerCommand);
  program
    .command("config")
    .description("print the configuration in force, without secrets")
    .option("--example", "print .env.example instead")
    .action(configCommand);
  return program;
}

if (import.meta.main) await commands().parseAsync().catch(reportFailure);
