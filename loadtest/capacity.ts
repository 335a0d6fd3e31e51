import { cpus, totalmem } from "node:os";
import { Redis } from "ioredis";
import { startRedis } from "#shared/testing/redis.ts";
import { CapacityBench, type CapacityOptions } from "./capacity-bench.ts";
import { busyMax, costOf, type Figures, type Habits, planFor } from "./capacity-plan.ts";
import { makeProbe } from "./probed.ts";
import { printTable, say } from "./report.ts";
import { startService } from "./service.ts";

/**
 * Measures what people cost on this machine, with a service and a Redis of its own, and prints how many it carries who
 * behave as the options say.
 */
export async function capacity(options: CapacityOptions): Promise<void> {
  const figures = await measureFigures(options);
  printFigures(figures);
  printPlan(figures, options);
}

async function measureFigures(options: CapacityOptions): Promise<Figures> {
  const redis = await startRedis();
  const probe = makeProbe();
  const service = await startService({ more: { REDIS_URL: redis.url, ...probe.environment } });
  const counters = new Redis(redis.url);
  try {
    return await new CapacityBench(service, probe, counters, options).run();
  } finally {
    counters.disconnect();
    await service.stop();
    await redis.stop();
  }
}

const micro = (seconds: number) => `${(seconds * 1e6).toFixed(1)} µs`;
const kilo = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;

function printFigures({ process, connection, member, room, visit, message, delivery, gift, redis }: Figures): void {
  const row = (what: string, service: string, more = "") => ({ what, service, more });
  printTable([
    row(
      "an idle process",
      `${(process.cores * 1000).toFixed(0)} ms per second`,
      `${kilo(process.bytes)}, PostgreSQL ${process.connections} connections`,
    ),
    row("a connection", `${micro(connection.cores)} per second`, kilo(connection.bytes)),
    row("being in a room", "", kilo(member.bytes)),
    row("a room", "", kilo(room.bytes)),
    row("a visit: connect, join, leave", micro(visit.cpu)),
    row("a message, stored", micro(message.cpu), `PostgreSQL ${micro(message.database)}`),
    row("a delivery", micro(delivery.cpu)),
    row("a gift", micro(gift.cpu), `PostgreSQL ${micro(gift.database)}`),
    row("a message between processes", "", `Redis ${micro(redis.cpuPerPush)}, ${kilo(redis.bytesPerPush)}`),
    row("a connection, in Redis", "", kilo(redis.bytesPerConnection)),
  ]);
}

function printPlan(figures: Figures, habits: Habits): void {
  const machine = { cores: cpus().length, bytes: totalmem() };
  const { roomSize, messagesPerMinute, giftsPerMinute, visitMinutes } = habits;
  const person = costOf(figures, habits);
  say(
    `\nPeople in rooms of ${roomSize}, who say ${messagesPerMinute} messages and give ${giftsPerMinute} gifts a minute, and stay ${visitMinutes} minutes,`,
  );
  say(
    `cost ${micro(person.process)} of a process per second each, ${micro(person.database)} of PostgreSQL, ${kilo(person.bytes)}.`,
  );
  const perProcess = Math.max(0, Math.floor((busyMax - figures.process.cores) / person.process));
  say(`A process at ${busyMax} of a core carries ${perProcess} of them.`);
  for (const withDatabase of [true, false]) {
    const { people, processes, boundBy } = planFor(figures, habits, machine, { withDatabase });
    const where = withDatabase ? "with PostgreSQL and Redis on it" : "with PostgreSQL and Redis elsewhere";
    say(
      `\nThis machine (${machine.cores} cores, ${(machine.bytes / 2 ** 30).toFixed(0)} GB), ${where}: ${people} people, ${processes} processes; bound by ${boundBy}.`,
    );
    say(
      `  PostgreSQL then uses ${(people * person.database).toFixed(2)} cores and ${processes * figures.process.connections} connections; Redis ${(people * person.redis).toFixed(3)} cores and ${((people * figures.redis.bytesPerConnection) / 2 ** 20).toFixed(0)} MB.`,
    );
  }
}
