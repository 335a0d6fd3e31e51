import { setTimeout as pause } from "node:timers/promises";
import autocannon from "autocannon";
import { judge, median, printTable } from "./report.ts";
import { type Person, password, register, type Service, startService } from "./service.ts";
import { tokenLogins } from "./token-logins.ts";

interface Options {
  seconds: number;
  rounds: number;
  way: "password" | "google";
}

/** Logins per second. */
const perSecondMin = 90;
/** Milliseconds. */
const othersP99Max = 30;
const refusalMsMax = 1;
/** Times the idle server's. */
const othersP50Max = 2;

/**
 * Connections that log in: as many as wait in the gate, more, and so many that most of what is done is to refuse them.
 */
const loads = { none: 0, "32": 32, "128": 128, "1000": 1000 } as const;
type Load = keyof typeof loads;

interface Measured {
  readonly load: Load;
  readonly logins: number;
  readonly refusals: number;
  /** The server's, with the threads that hash. */
  readonly cpuSeconds: number;
  readonly seconds: number;
  /** Latencies of the others' calls. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Others' calls per second. They come at their time, however slow the answers are. */
const othersRate = 50;

/**
 * Measures how many logins a process checks per second, what a login costs that it refuses because too many wait, and
 * how long others' `GET /users/me` takes meanwhile. Fails if a target is missed.
 */
export async function logins({ seconds, rounds, way }: Options): Promise<void> {
  if (way !== "password") return tokenLogins(way, rounds);
  const service = await startService();
  const people = await register(service, 8);
  const usernames = await Promise.all(
    people.map(async ({ token }) => (await service.call<{ username: string }>("GET", "/users/me", { token })).username),
  );
  const rows: Measured[] = [];
  try {
    await measure(service, people[0]!, usernames, "32", 3);
    for (let round = 0; round < rounds; round += 1)
      for (const load of Object.keys(loads) as Load[])
        rows.push(await measure(service, people[0]!, usernames, load, seconds));
  } finally {
    await service.stop();
  }
  report(rows);
}

async function measure(
  service: Service,
  other: Person,
  usernames: readonly string[],
  load: Load,
  seconds: number,
): Promise<Measured> {
  const cpuBefore = await service.cpuSeconds();
  const ended = new AbortController();
  const others = callAsOthers(service, other, ended.signal);
  const storm = loads[load] > 0 ? await logIn(service, usernames, loads[load], seconds) : await pause(seconds * 1000);
  ended.abort();
  const latencies = (await others).sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  const cpuSeconds = (await service.cpuSeconds()) - cpuBefore;
  const [accepted, refused] = [storm?.["2xx"] ?? 0, storm?.non2xx ?? 0];
  return { load, logins: accepted, refusals: refused, cpuSeconds, seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** Logs in again and again on so many connections, whatever the answer is. */
const logIn = (service: Service, usernames: readonly string[], connections: number, seconds: number) =>
  autocannon({
    url: `${service.url}/api/v1/auth/login`,
    connections,
    duration: seconds,
    requests: usernames.map((username) => ({
      method: "POST" as const,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ identifier: username, password }),
    })),
  });

/** Calls at a constant rate until the signal. Returns how long each call took, milliseconds. */
export async function callAsOthers({ url }: Service, { token }: Person, ended: AbortSignal): Promise<number[]> {
  const latencies: number[] = [];
  const calls: Promise<unknown>[] = [];
  const startedMs = performance.now();
  for (let sent = 0; !ended.aborted; sent += 1) {
    const dueMs = startedMs + (sent * 1000) / othersRate;
    await pause(Math.max(0, dueMs - performance.now()));
    calls.push(
      fetch(`${url}/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } })
        .then((response) => response.arrayBuffer())
        .then(() => latencies.push(performance.now() - dueMs)),
    );
  }
  await Promise.all(calls);
  return latencies;
}

function report(rows: readonly Measured[]): void {
  printTable(
    rows.map(({ load, logins: count, refusals, cpuSeconds, seconds, p50Ms, p99Ms }) => ({
      "connections that log in": load,
      "logins per second": (count / seconds).toFixed(0),
      "refusals per second": (refusals / seconds).toFixed(0),
      "CPU cores": (cpuSeconds / seconds).toFixed(2),
      "others p50 ms": p50Ms.toFixed(1),
      "others p99 ms": p99Ms.toFixed(1),
    })),
  );
  const of = (load: Load, value: (row: Measured) => number) =>
    median(rows.filter((row) => row.load === load).map(value));
  const perSecond = of("32", (row) => row.logins / row.seconds);
  judge(`${perSecond.toFixed(0)} logins per second (target: ${perSecondMin})`, perSecond >= perSecondMin);
  const p99 = of("32", (row) => row.p99Ms);
  judge(`others' calls meanwhile: p99 ${p99.toFixed(1)} ms (target: ${othersP99Max})`, p99 <= othersP99Max);

  const cpuOfLogin = of("32", (row) => row.cpuSeconds / row.logins);
  const refusal = of("1000", (row) => ((row.cpuSeconds - row.logins * cpuOfLogin) * 1000) / row.refusals);
  judge(`a refusal costs ${refusal.toFixed(2)} ms of CPU (target: below ${refusalMsMax})`, refusal < refusalMsMax);
  const ratio = of("128", (row) => row.p50Ms) / of("none", (row) => row.p50Ms);
  judge(
    `others' calls with 128 connections that log in: p50 ${ratio.toFixed(2)} × the idle server's (target: at most ${othersP50Max})`,
    ratio <= othersP50Max,
  );
}
