import Joi from "joi";
import {
  count,
  type Fields,
  type Infer,
  id,
  integer,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  text,
  time,
} from "../fields.ts";

const part = <F extends Fields>(name: string, fields: F) =>
  object({
    status: oneOf("up", "down", "not_configured"),
    latency_ms: nullable(Joi.number().min(0).example(1.4)).description("How long the check took."),
    error: nullable(text(0, 300, "timed out after 2 s")).description("What is wrong, if it is down."),
    ...fields,
  }).meta({ name });

const engineNode = object({
  id: text(1, 40, "k2Jd8sPq1"),
  actors: count(12),
}).meta({ name: "EngineNode" });
export type EngineNode = Infer<typeof engineNode>;

export const health = object({
  status: oneOf("up", "degraded", "down").description(
    "`down`: the database is. `degraded`: another configured part is, there are dead letters or dead event endpoints, a hook is off, or partitions are missing.",
  ),
  database: part("DatabaseHealth", {}),
  replica: part("ReplicaHealth", {}),
  redis: part("RedisHealth", {}),
  engine: part("EngineHealth", { nodes: nullable(listOf(engineNode)) }),
  jobs: part("JobsHealth", {
    waiting: nullable(count(3)).description("At most 10,000 are counted."),
    dead: nullable(count(0)).description("Jobs that failed too often."),
  }),
  outbox: part("OutboxHealth", {
    waiting: nullable(count(0)).description("Domain events that wait. At most 10,000 are counted."),
    lag_seconds: nullable(Joi.number().min(0).example(0)).description("The age of the oldest of them."),
    dead: nullable(count(0)).description("Domain events that failed too often."),
  }),
  voice: part("VoiceHealth", {}),
  mail: part("MailHealth", {}),
  sms: part("SmsHealth", {}),
  push: part("PushHealth", {}),
  payments: part("PaymentsHealth", {
    findings: nullable(count(0)).description(
      "Differences between our payments and the books of their providers that aren't settled, at most 1,000.",
    ),
    stuck_payouts: nullable(count(0)).description(
      "Payouts that are flagged, or wait since more than 24 hours, at most 1,000.",
    ),
    flagged_orders: nullable(count(0)).description(
      "Paid orders that exceed a bound of purchases, until they are refunded or the bound is lifted for their user, at most 1,000.",
    ),
  }),
  events: part("EventsHealth", {
    kept: nullable(count(120)).description("About how many events the log keeps for endpoints and sinks."),
    behind: nullable(count(0)).description("How far the furthest of those that aren't paused is behind."),
    dead: nullable(count(0)).description("Endpoints that are paused because they were dead."),
    lost: nullable(count(0)).description("Events that were deleted before an endpoint or a sink was given them."),
  }),
  hooks: part("HooksHealth", {
    off: listOf(line(1, 200, "my_app before operation:sendGift")).description(
      "Hooks that the process that responds has switched off, because they failed or were too slow.",
    ),
  }),
  partitions: part("PartitionsHealth", {
    until: nullable(time("2026-04-01T00:00:00.000Z")).description(
      "The tables that are divided by month have all partitions until then; null if none is divided.",
    ),
    overflowing: listOf(line(1, 63, "room_messages")).description(
      "Divided tables whose new rows go where no partition was made for them.",
    ),
    undivided: listOf(line(1, 63, "room_messages")).description(
      "Tables that `npm run partition` divides. Nothing depends on it but their size.",
    ),
  }),
  uptime_seconds: count(86_400).description("Of the process that responds."),
  versions: object({
    service: text(1, 40, "0.2.0"),
    node: text(1, 40, "24.21.0"),
    database: nullable(text(1, 80, "18.1")),
  }).meta({ name: "Versions" }),
}).meta({ name: "Health" });
export type Health = Infer<typeof health>;

export const deadJob = object({
  id: id("0198f2b6-3c58-7f21-9b4e-a06d5e1c8f37"),
  job: line(1, 100, "mail.account"),
  tries: integer(1, 1000, 6),
  error: text(0, 500, "Error: the mail server rejected a mail"),
  created_at: time("2026-01-05T09:00:00.000Z"),
  died_at: time("2026-01-05T09:04:00.000Z"),
}).meta({ name: "DeadJob" });
export type DeadJob = Infer<typeof deadJob>;

export const deadEvent = object({
  id: integer(1, Number.MAX_SAFE_INTEGER, 17),
  topic: line(1, 100, "gift.sent"),
  target: text(0, 200, "room:0198f2ab-0f8d-7b26-8d17-5ac3e94f7061"),
  attempts: integer(0, 1000, 10),
  error: text(0, 500, "Error: timed out"),
  created_at: time("2026-01-05T09:00:00.000Z"),
  died_at: time("2026-01-05T09:04:00.000Z"),
}).meta({ name: "DeadEvent" });
