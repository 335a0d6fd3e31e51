import Joi from "joi";
import { exampleIds, exampleTime } from "../examples.ts";
import { anyObject, count, type Infer, id, nullable, object, oneOf, text, time } from "../fields.ts";

export const auditLogEntry = object({
  id: id(exampleIds.auditLogEntry),
  seq: count(42).description("Its place in the chain, from 1."),
  at: time(exampleTime(exampleIds.auditLogEntry)),
  actor_kind: oneOf("admin", "server_key", "visitor").description(
    "`server_key`: a server of the operator, `actor_id` is its key. `visitor`: an attempt to log in that failed.",
  ),
  actor_id: nullable(id(exampleIds.admin)).description("The administrator."),
  role: text(0, 40, "moderator").description("Their role at that time."),
  action: text(1, 100, "user.suspend"),
  target_type: text(1, 60, "user"),
  target_id: text(1, 200, exampleIds.grace),
  before: nullable(anyObject().example({ status: "active" })).description("The changed fields as they were."),
  after: nullable(anyObject().example({ status: "suspended" })).description("The changed fields as they became."),
  reason: nullable(text(0, 1000, "Spam")),
  ip: text(0, 45, "203.0.113.7"),
  user_agent: text(0, 300, "curl/8.14.1"),
  request_id: text(0, 200, "5f0c6b1e-5a38-4f0e-9d1c-2b7a4e8c9d10"),
  hash: Joi.string()
    .description("SHA-256 of the hash before it and this entry.")
    .example("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
}).meta({ name: "AuditLogEntry" });
export type AuditLogEntry = Infer<typeof auditLogEntry>;
