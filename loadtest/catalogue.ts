import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import autocannon from "autocannon";
import pg from "pg";
import { poolSizes } from "#shared/db/pools.ts";
import { serverOptions } from "#shared/db/server-settings.ts";
import { findTopUp, listTopUps } from "#shared/domain/catalogue/products/catalogue.queries.ts";
import { holderOf } from "#shared/domain/identity/api-keys/api-tokens.ts";
import { recordStatements } from "./peers/recorded-statements.ts";
import { judge, median, printTable } from "./report.ts";
import { type Process, register, type Service, startProcess, startService, stopProcess } from "./service.ts";

interface Options {
  connections: number;
  seconds: number;
  rounds: number;
}

interface Measured {
  readonly server: string;
  readonly operation: string;
  /** CPU time of the server per response, without what it uses when idle, microseconds. */
  readonly cpuEach: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

const [topUps, servicesEach, perPage] = [1000, 20, 10];
/** Until V8 has optimised what a call runs through; a service runs for days. */
const warmUpSeconds = 12;
const idleSeconds = 1;
const most = 1.6;

const seed = `
  INSERT INTO catalogue_categories (id, name, icon, type) VALUES (1000000, 'Games', 'fa-chess', 'top_up');
  INSERT INTO catalogue_top_ups (id, category_id, name, slug, region, image_url, preview_url, description, guide,
    order_information)
  SELECT 1000000 + i, 1000000, 'Game ' || i, 'load-' || i, 'Global', 'https://cdn.example.com/catalogue/' || i || '.png',
    'https://cdn.example.com/catalogue/' || i || '-preview.png', '<p>Gems for game ' || i || '.</p>',
    '<ol><li>Choose an amount.</li><li>Enter what is asked for.</li></ol>',
    '[{"field_value": "Player ID", "field_name": "Player_Id", "field_placeholder": "1234 5678",
       "field_note": "It is in your profile.", "field_type": "text"}]'
  FROM generate_series(1, ${topUps}) i;
  INSERT INTO catalogue_services (top_up_id, name, image_url, currency, price, discount)
  SELECT 1000000 + i, s || '00 gems', 'https://cdn.example.com/catalogue/gems-' || s || '.png', 'USD', s * 0.99, s % 3 * 5
  FROM generate_series(1, ${topUps}) i, generate_series(1, ${servicesEach}) s;
  ANALYZE catalogue_top_ups, catalogue_services;
`;

/** The requests of each operation, in turns. All pages that are full, and all top-ups. */
const operations = {
  list: Array.from(
    { length: topUps / perPage },
    (_none, index) => `/top-up/list?category_id=1000000&page=${index + 1}`,
  ),
  details: Array.from({ length: topUps }, (_none, index) => `/top-up/details?slug=load-${index + 1}`),
} as const;

/**
 * Measures the list and the details of 1,000 top-ups with 20 services each (closed loop), alternating between the
 * service and a bare server that runs the same statements and returns the same responses. Rate limits are off.
 */
export async function catalogue({ connections, seconds, rounds }: Options): Promise<void> {
  const service = await startService();
  const token = await prepare(service);
  const bare = await startBare(service, token);
  await assertSameResponses(service, bare, token);
  const servers = { hubbub: service, "bare Express": bare };
  const rows: Measured[] = [];
  for (let round = 0; round <= rounds; round += 1)
    for (const operation of Object.keys(operations) as (keyof typeof operations)[])
      for (const [server, process] of Object.entries(servers)) {
        const duration = round === 0 ? warmUpSeconds : seconds;
        const measured = await measure(process, { operation, token, connections, duration });
        if (round > 0) rows.push({ server, operation, ...measured });
      }
  await bare.stop();
  await service.stop();
  report(rows);
}

/** Fills the catalogue, and returns a bearer token. */
async function prepare(service: Service): Promise<string> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query(seed);
  await client.end();
  const [person] = await register(service, 1);
  const keys = await service.call<{ public_key: string; secret_key: string }>("POST", "/users/me/api-keys", {
    token: person!.token,
    body: { name: "Load" },
  });
  const answer = await fetch(`${service.url}/catalogue/generate/authorization-token`, {
    method: "POST",
    headers: { PublicKey: keys.public_key, SecretKey: keys.secret_key },
  });
  return ((await answer.json()) as { bearer_token: string }).bearer_token;
}

/** Starts the bare server, which runs the statements of the service with a pool of the same size and settings. */
async function startBare({ databaseUrl, url }: Service, token: string): Promise<Process> {
  const [holder, list, details, ...others] = await recordStatements(databaseUrl, async () => {
    const { userId } = await holderOf(token, "127.0.0.1");
    await listTopUps(1_000_000, 1);
    await findTopUp("load-1", userId);
  });
  if (!details || others.length > 0) throw new Error("the service doesn't run one statement for each of its reads");
  const environment = {
    DATABASE_URL: databaseUrl,
    POOL_SIZE: String(poolSizes.calls),
    POOL_OPTIONS: serverOptions,
    PUBLIC_ADDRESS: url,
    STATEMENTS: JSON.stringify({ holder, list, details }),
  };
  const started = await startProcess(["loadtest/peers/bare-catalogue.ts"], environment, /listening on (\S+)/);
  const cpuSeconds = async () => Number(await (await fetch(`${started.url}/cpu`)).text());
  return { url: started.url, cpuSeconds, stop: () => stopProcess(started.child) };
}

/** Compares a response of each operation, apart from the links of a long list. */
async function assertSameResponses(one: Process, other: Process, token: string): Promise<void> {
  for (const [path] of Object.values(operations)) {
    const ask = async ({ url }: Process) => {
      const response = await fetch(`${url}/catalogue${path}`, { headers: { authorization: `Bearer ${token}` } });
      const { message } = (await response.json()) as { message: object };
      return { ...message, links: null };
    };
    const responses = [await ask(one), await ask(other)];
    if (!isDeepStrictEqual(responses[0], responses[1]))
      throw new Error(`the responses differ:\n${responses.map((response) => JSON.stringify(response)).join("\n")}`);
  }
}

interface Run {
  readonly operation: keyof typeof operations;
  readonly token: string;
  readonly connections: number;
  readonly duration: number;
}

async function measure(server: Process, { operation, token, connections, duration }: Run) {
  const idle = await idleCpu(server);
  const cpuBefore = await server.cpuSeconds();
  const result = await autocannon({
    url: server.url,
    connections,
    duration,
    headers: { authorization: `Bearer ${token}` },
    requests: operations[operation].map((path) => ({ path: `/catalogue${path}` })),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} failed requests, ${result.errors} connection errors`);
  const cpu = (await server.cpuSeconds()) - cpuBefore - idle * result.duration;
  const responses = result["2xx"];
  return { cpuEach: (cpu * 1e6) / responses, perSecond: responses / result.duration, p99Ms: result.latency.p99 };
}

/** Returns the CPU seconds that a server uses in a second without requests: the service has jobs and timers, too. */
async function idleCpu(server: Process): Promise<number> {
  const before = await server.cpuSeconds();
  await setTimeout(idleSeconds * 1000);
  return ((await server.cpuSeconds()) - before) / idleSeconds;
}

function report(rows: readonly Measured[]): void {
  printTable(
    rows.map(({ server, operation, cpuEach, perSecond, p99Ms }) => ({
      server,
      operation,
      "CPU µs per request": cpuEach.toFixed(0),
      "requests per second": perSecond.toFixed(0),
      "p99 ms": p99Ms.toFixed(1),
    })),
  );
  for (const operation of Object.keys(operations)) {
    const each = (name: string) =>
      rows.filter((row) => row.server === name && row.operation === operation).map(({ cpuEach }) => cpuEach);
    const [ours, theirs] = [each("hubbub"), each("bare Express")];
    // Round by round: what disturbs the machine for longer disturbs both.
    const ratio = median(ours.map((cpuEach, round) => cpuEach / theirs[round]!));
    judge(`CPU per ${operation}: ${ratio.toFixed(2)} × the bare server (target: at most ${most})`, ratio <= most);
  }
}
