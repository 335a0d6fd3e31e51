import autocannon from "autocannon";
import { poolSizes } from "#shared/db/pools.ts";
import { newId } from "#shared/kernel/ids.ts";
import { FakeOpenId } from "#shared/testing/fakes/fake-openid.ts";
import { judge, median, printTable, say } from "./report.ts";
import { type Process, startProcess, startService, stopProcess, tokenSecret } from "./service.ts";

interface Measured {
  readonly server: string;
  readonly perCoreSecond: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

const [connections, people, loginsPerRun] = [32, 200, 3000];
/** Logins a second of CPU time. */
const perCoreSecondMin = 400;

/**
 * Measures logins of known people by ID tokens of a provider on this machine (closed loop), each with a token of its
 * own, alternating between the service and a bare server that verifies the same tokens. Fails if the target is missed.
 */
export async function tokenLogins(provider: string, rounds: number): Promise<void> {
  const fake = await FakeOpenId.start();
  const { issuer, clientId } = fake;
  const more = { OPENID_PROVIDERS: JSON.stringify([{ name: provider, issuer, client_ids: [clientId] }]) };
  const service = await startService({ more });
  const environment = {
    ...{ DATABASE_URL: service.databaseUrl, POOL_SIZE: String(poolSizes.calls), TOKEN_SECRET: tokenSecret },
    ...{ ISSUER: issuer, CLIENT_ID: clientId },
  };
  const bare = await startProcess(["loadtest/peers/bare-jose.ts"], environment, /listening on (\S+)/);
  const cpuSeconds = async () => Number(await (await fetch(`${bare.url}/cpu`)).text());
  const stop = () => stopProcess(bare.child);
  const servers = { hubbub: service, "bare Express and jose": { url: bare.url, cpuSeconds, stop } };
  const rows: Measured[] = [];
  try {
    // The first round registers the people, and warms up.
    for (let round = 0; round <= rounds; round += 1) {
      const bodies = await tokensOf(fake);
      for (const [server, process] of Object.entries(servers)) {
        const measured = await measure(process, `/api/v1/auth/${provider}`, bodies);
        if (round > 0) rows.push({ server, ...measured });
      }
    }
  } finally {
    await stop();
    await service.stop();
    fake.stop();
  }
  report(rows);
}

/** Returns bodies of logins, each with a new token of one of the people. */
const tokensOf = (fake: FakeOpenId): Promise<string[]> =>
  Promise.all(
    Array.from({ length: loginsPerRun }, async (_none, index) => {
      const nonce = newId();
      return JSON.stringify({ id_token: await fake.token(`person-${index % people}`, nonce), nonce });
    }),
  );

async function measure(server: Process, path: string, bodies: readonly string[]): Promise<Omit<Measured, "server">> {
  const cpuBefore = await server.cpuSeconds();
  let next = 0;
  const result = await autocannon({
    url: server.url + path,
    connections,
    amount: bodies.length,
    requests: [
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        setupRequest: (request) => ({ ...request, body: bodies[next++ % bodies.length]! }),
      },
    ],
  });
  const logins = result["2xx"];
  // Connections make a request more ready than they send.
  if (logins < bodies.length - connections || result.errors > 0)
    throw new Error(`${result.non2xx} failed logins, ${result.errors} connection errors`);
  const cpu = (await server.cpuSeconds()) - cpuBefore;
  return { perCoreSecond: logins / cpu, perSecond: logins / result.duration, p99Ms: result.latency.p99 };
}

function report(rows: readonly Measured[]): void {
  printTable(
    rows.map(({ server, perCoreSecond, perSecond, p99Ms }) => ({
      server,
      "logins per second and core": perCoreSecond.toFixed(0),
      "logins per second": perSecond.toFixed(0),
      "p99 ms": p99Ms.toFixed(1),
    })),
  );
  const of = (name: string) =>
    median(rows.filter(({ server }) => server === name).map(({ perCoreSecond }) => perCoreSecond));
  const ours = of("hubbub");
  judge(
    `${ours.toFixed(0)} logins by ID token per second and core (target: ${perCoreSecondMin})`,
    ours >= perCoreSecondMin,
  );
  say(`Bare Express and jose, without sessions and single use: ${of("bare Express and jose").toFixed(0)}.`);
}
