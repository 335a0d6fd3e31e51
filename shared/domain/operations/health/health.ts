import type { Redis } from "ioredis";
import type { EngineNode, Health } from "#shared/contracts/views.ts";
import { countJobs } from "#shared/db/jobs.ts";
import { measureOutbox } from "#shared/db/observe-outbox.ts";
import { measurePartitions } from "#shared/db/partitions.ts";
import { queryOne } from "#shared/db/query.ts";
import { replicaCheck } from "#shared/db/replica.ts";
import { checkCarriers } from "#shared/domain/identity/mail/send.ts";
import { pushProvider } from "#shared/domain/identity/push/push.config.ts";
import { voice, voiceConfigured } from "#shared/domain/live/voice/voice.config.ts";
import { countFlaggedOrders } from "#shared/domain/money/payments/purchase-bounds.ts";
import { countStuckPayouts } from "#shared/domain/money/payouts/payouts.queries.ts";
import { countFindings } from "#shared/domain/money/reconciliation/findings.ts";
import { measureEvents } from "#shared/domain/operations/events/observe-events.ts";
import { hooksSwitchedOff } from "#shared/extension/hooks.ts";
import { assert } from "#shared/kernel/assert.ts";
import { logger } from "#shared/kernel/logger.ts";
import { within } from "#shared/kernel/within.ts";
import manifest from "../../../../package.json" with { type: "json" };

/** What the domain can't reach by itself. */
interface Parts {
  readonly redis?: Redis;
  /** Returns the processes that host actors. */
  readonly nodes: () => Promise<EngineNode[]>;
}

let parts: Parts | undefined;

/** Called at the start, once the engine runs. */
export function configureHealth(configured: Parts): void {
  parts = configured;
}

/** How long a part may take to respond, milliseconds. */
const deadlineMs = 2000;

interface Part {
  readonly status: "up" | "down" | "not_configured";
  readonly latency_ms: number | null;
  readonly error: string | null;
}

/** Measures a part: what its check returns, or why it failed. Without a check, it isn't configured. */
async function measure<T>(name: string, check: (() => Promise<T>) | undefined): Promise<Part & { found?: T }> {
  if (!check) return { status: "not_configured", latency_ms: null, error: null };
  const started = performance.now();
  const elapsed = () => Math.round((performance.now() - started) * 10) / 10;
  try {
    const found = await within(deadlineMs, check(), `no response within ${deadlineMs / 1000} s`);
    return { status: "up", latency_ms: elapsed(), error: null, found };
  } catch (error) {
    logger.warn({ err: error, part: name }, "a part of the service isn't healthy");
    return { status: "down", latency_ms: elapsed(), error: String((error as Error).message).slice(0, 300) };
  }
}

const withoutDetails = ({ status, latency_ms, error }: Part): Part => ({ status, latency_ms, error });

const measurePayments = async () => ({
  findings: await countFindings(),
  stuck_payouts: await countStuckPayouts(),
  flagged_orders: await countFlaggedOrders(),
});

type Measured<T> = { [K in keyof T]: Awaited<T[K]> };

async function measureParts({ redis, nodes }: Parts) {
  const carriers = checkCarriers();
  const push = pushProvider();
  const measuring = {
    database: measure("database", () =>
      queryOne<{ version: string }>("SELECT current_setting('server_version') AS version"),
    ),
    replica: measure("replica", replicaCheck()),
    redis: measure("redis", redis && (() => redis.ping())),
    engine: measure("engine", async () => {
      const found = await nodes();
      if (found.length === 0) throw new Error("no process hosts actors");
      return found;
    }),
    jobs: measure("jobs", countJobs),
    outbox: measure("outbox", measureOutbox),
    // No room has this name: the response is short.
    voice: measure("voice", voiceConfigured() ? () => voice().rooms.listRooms(["-"]) : undefined),
    mail: measure("mail", carriers.mail),
    sms: measure("sms", carriers.sms),
    push: measure("push", push && (() => push.check())),
    payments: measure("payments", measurePayments),
    events: measure("events", measureEvents),
    partitions: measure("partitions", measurePartitions),
  };
  const entries = Object.entries(measuring).map(async ([name, part]) => [name, await part] as const);
  return Object.fromEntries(await Promise.all(entries)) as Measured<typeof measuring>;
}

/** Measures every part now. Takes at most some seconds, whatever doesn't respond. */
export async function measureHealth(): Promise<Health> {
  assert(parts, "the health check is configured");
  const all = await measureParts(parts);
  const { database, engine, jobs, outbox, payments, events, partitions } = all;
  const dead = (jobs.found?.dead ?? 0) + (outbox.found?.dead ?? 0);
  const off = hooksSwitchedOff();
  const { kept = null, behind = null, dead: deadEndpoints = null, lost = null } = events.found ?? {};
  const { findings = null, stuck_payouts = null, flagged_orders = null } = payments.found ?? {};
  const { until = null, overflowing = [], undivided = [], isLate = false } = partitions.found ?? {};
  const degraded =
    isLate ||
    dead > 0 ||
    off.length > 0 ||
    (deadEndpoints ?? 0) > 0 ||
    (findings ?? 0) + (stuck_payouts ?? 0) + (flagged_orders ?? 0) > 0 ||
    Object.values(all).some(({ status }) => status === "down");
  return {
    status: database.status === "down" ? "down" : degraded ? "degraded" : "up",
    database: withoutDetails(database),
    replica: withoutDetails(all.replica),
    redis: withoutDetails(all.redis),
    engine: { ...withoutDetails(engine), nodes: engine.found ?? null },
    jobs: { ...withoutDetails(jobs), waiting: jobs.found?.waiting ?? null, dead: jobs.found?.dead ?? null },
    outbox: { ...withoutDetails(outbox), waiting: null, lag_seconds: null, dead: null, ...outbox.found },
    voice: withoutDetails(all.voice),
    mail: withoutDetails(all.mail),
    sms: withoutDetails(all.sms),
    push: withoutDetails(all.push),
    payments: { ...withoutDetails(payments), findings, stuck_payouts, flagged_orders },
    events: { ...withoutDetails(events), kept, behind, dead: deadEndpoints, lost },
    hooks: { status: off.length > 0 ? "down" : "up", latency_ms: null, error: null, off },
    partitions: { ...withoutDetails(partitions), until, overflowing, undivided },
    uptime_seconds: Math.floor(process.uptime()),
    versions: {
      service: manifest.version,
      node: process.versions.node,
      database: database.found?.version ?? null,
    },
  };
}
