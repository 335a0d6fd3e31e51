import { exampleIds, exampleTime } from "../examples.ts";
import {
  anyObject,
  count,
  flag,
  type Infer,
  id,
  integer,
  line,
  nullable,
  object,
  oneOf,
  text,
  time,
} from "../fields.ts";

const example = { type: "room.closed", timestamp: exampleTime(exampleIds.room), data: { room_id: exampleIds.room } };

export const eventKindView = object({
  kind: line(1, 60, "room.closed"),
  version: integer(1, 1000, 1).description(
    "Rises when a field changes its meaning or goes. New fields don't raise it.",
  ),
  summary: text(1, 200, "A room was closed"),
  key: line(1, 60, "room_id").description(
    "The field of the data by which events are ordered: those with the same value arrive in the order of their commits.",
  ),
  schema: anyObject().example({ type: "object" }).description("JSON Schema of the body."),
  example: anyObject().example(example),
}).meta({ name: "EventKind" });

const time0 = () => time(exampleTime(exampleIds.loggedEvent));

export const eventDelivery = object({
  id: id(exampleIds.webhookDelivery),
  event_id: id(exampleIds.loggedEvent).description("The header `webhook-id`, the same in each try and each replay."),
  type: line(1, 60, "room.closed"),
  key: line(1, 100, exampleIds.room),
  status: oneOf("pending", "delivered", "failed"),
  tries: count(1),
  next_try_at: nullable(time0()).example(null),
  response_status: nullable(integer(0, 999, 200)).description("The status of the last answer."),
  error: nullable(line(1, 300, "The answer was 500.")).example(null),
  payload: anyObject().example(example).description("What is sent."),
  created_at: time0(),
  delivered_at: nullable(time0()),
}).meta({ name: "EventDelivery" });
export type EventDelivery = Infer<typeof eventDelivery>;

export const eventReplay = object({
  begins_at: nullable(time0()).description("When the first of the events happened. Null: the log has none since then."),
  events: count(120).description("How many there are of all kinds, at most 10,000."),
}).meta({ name: "EventReplay" });
export type EventReplay = Infer<typeof eventReplay>;

export const eventSinkRecord = object({
  id: id(exampleIds.webhook),
  name: line(1, 500, "nats://nats.example.com:4222/HUBBUB").description("Its URL without the password."),
  active: flag().description("Whether it is configured (`EVENT_SINKS`). Nothing is kept for one that isn't."),
  behind: count(0).description("How many events of the log it lacks, give or take."),
  lost: count(0).description("How many events were deleted from the log before they were written."),
  written_at: nullable(time0()).description("When the last batch was written."),
  error: nullable(text(0, 300, "connection refused"))
    .description("Why the last batch could not be written.")
    .example(null),
}).meta({ name: "EventSink" });
export type EventSinkRecord = Infer<typeof eventSinkRecord>;

export const eventTest = object({
  response_status: nullable(integer(0, 999, 200)),
  error: nullable(line(1, 300, "The answer was 500.")).example(null),
}).meta({ name: "EventTest" });
export type EventTest = Infer<typeof eventTest>;
