import { createSecretKey } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import autocannon from "autocannon";
import jwt from "jsonwebtoken";
import { poolSizes } from "#shared/db/pools.ts";
import { serverOptions } from "#shared/db/server-settings.ts";
import { getMe } from "#shared/domain/identity/users/profile.queries.ts";
import { recordStatements } from "./peers/recorded-statements.ts";
import { judge, median, printTable, say } from "./report.ts";
import {
  type Person,
  type Process,
  register,
  type Service,
  startProcess,
  startService,
  stopProcess,
  tokenSecret,
} from "./service.ts";

interface Options {
  connections: number;
  seconds: number;
  rounds: number;
}

interface Measured {
  readonly server: string;
  /** CPU time of the server per response, microseconds. */
  readonly cpuEach: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

const path = "/api/v1/users/me";
const warmUpSeconds = 3;
const uncached = "hubbub, new tokens";

/**
 * More than the service's cache of verified tokens holds: sent in turns, each has been forgotten when it comes again.
 */
const uncachedTokens = 12_000;

/**
 * Measures `GET /users/me` (closed loop), alternating between the service and a bare server: with tokens that the
 * service has verified before, as those of real clients, and with tokens that both verify. Rate limits are off.
 */
export async function reads({ connections, seconds, rounds }: Options): Promise<void> {
  const service = await startService();
  const people = await register(service, connections);
  const bare = await startBare(service, people[0]!);
  const known = people.map(({ token }) => [token]);
  const unknown = people.map((person) => otherTokens(person, Math.ceil(uncachedTokens / people.length)));
  const runs = [
    { name: "hubbub", server: service, tokens: known },
    { name: uncached, server: service, tokens: unknown },
    { name: "bare Express", server: bare, tokens: known },
  ];
  await assertSameResponse(service, bare, people[0]!);
  for (const { server, tokens } of runs) await measure(server, tokens, warmUpSeconds);
  const rows: Measured[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const { name, server, tokens } of runs)
      rows.push({ server: name, ...(await measure(server, tokens, seconds)) });
  await bare.stop();
  await service.stop();
  report(rows);
}

/** Returns more tokens of the same session. */
function otherTokens({ token }: Person, count: number): string[] {
  const claims = jwt.decode(token) as jwt.JwtPayload;
  const secret = createSecretKey(tokenSecret, "utf8");
  return Array.from({ length: count }, (_none, index) => jwt.sign({ ...claims, iat: claims.iat! - index }, secret));
}

/** Starts the bare server, which runs the same statement as the service with a pool of the same size and settings. */
async function startBare({ databaseUrl }: Service, person: Person): Promise<Process> {
  const [statement, ...others] = await recordStatements(databaseUrl, () => getMe(person.id));
  if (!statement || others.length > 0)
    throw new Error("the service doesn't run exactly one statement, as the bare server does");
  const environment = {
    DATABASE_URL: databaseUrl,
    POOL_SIZE: String(poolSizes.calls),
    POOL_OPTIONS: serverOptions,
    STATEMENT: JSON.stringify(statement),
    TOKEN_SECRET: tokenSecret,
  };
  const { child, url } = await startProcess(["loadtest/peers/bare-express.ts"], environment, /listening on (\S+)/);
  const cpuSeconds = async () => Number(await (await fetch(`${url}/cpu`)).text());
  return { url, cpuSeconds, stop: () => stopProcess(child) };
}

async function assertSameResponse(one: Process, other: Process, { token }: Person): Promise<void> {
  const ask = async ({ url }: Process) =>
    (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).json();
  const responses = [await ask(one), await ask(other)];
  if (!isDeepStrictEqual(responses[0], responses[1]))
    throw new Error(`the responses differ:\n${responses.map((response) => JSON.stringify(response)).join("\n")}`);
}

async function measure(
  server: Process,
  tokens: readonly (readonly string[])[],
  seconds: number,
): Promise<Omit<Measured, "server">> {
  const cpuBefore = await server.cpuSeconds();
  let next = 0;
  const result = await autocannon({
    url: server.url + path,
    connections: tokens.length,
    duration: seconds,
    setupClient: (client) => {
      const own = tokens[next % tokens.length]!;
      next += 1;
      let sent = 0;
      const useNext = () => client.setHeaders({ authorization: `Bearer ${own[sent++ % own.length]}` });
      useNext();
      if (own.length > 1) client.on("response", useNext);
    },
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} failed requests, ${result.errors} connection errors`);
  const cpu = (await server.cpuSeconds()) - cpuBefore;
  const responses = result["2xx"];
  return { cpuEach: (cpu * 1e6) / responses, perSecond: responses / result.duration, p99Ms: result.latency.p99 };
}

/** What the promise allows. */
const most = 1.6;

function report(rows: readonly Measured[]): void {
  printTable(
    rows.map(({ server, cpuEach, perSecond, p99Ms }) => ({
      server,
      "CPU µs per request": cpuEach.toFixed(0),
      "requests per second": perSecond.toFixed(0),
      "p99 ms": p99Ms.toFixed(1),
    })),
  );
  const of = (name: string) => median(rows.filter(({ server }) => server === name).map(({ cpuEach }) => cpuEach));
  const ratioOf = (name: string) => of(name) / of("bare Express");
  const ratio = ratioOf("hubbub");
  judge(`CPU per request: ${ratio.toFixed(2)} × the bare server (target: at most ${most})`, ratio <= most);
  say(`With tokens that have not been verified before: ${ratioOf(uncached).toFixed(2)} ×.`);
}
