import {
  defaulted,
  defineModel,
  flag,
  integer,
  json,
  key,
  nullable,
  small,
  text,
  time,
  uuid,
} from "#shared/db/model.ts";
import type { TextPlace } from "./places.ts";

/** `judging`: waits for a judge. `held`: waits for a review. `shown`: is shown, and waits for a review. */
export const heldStatuses = ["judging", "held", "shown", "released", "rejected"] as const;
export type HeldStatus = (typeof heldStatuses)[number];

/** What people wrote that is reviewed before others see it, or afterwards. */
export const HeldContent = defineModel("held_content", {
  id: key(uuid()),
  place: text<TextPlace>(),
  user_id: uuid(),
  target_id: nullable(uuid()),
  text: text(),
  input: nullable(json<object>()),
  client_id: nullable(text()),
  /** For rules that ask a judge: where it was written. For what is shadowed: the kind and the medium of the message. */
  circumstances: nullable(json<object>()),
  rule_id: nullable(uuid()),
  rule_name: text(),
  rule_version: nullable(integer()),
  /** What the rule tells people. */
  reason: nullable(text()),
  harm: small(),
  status: text<HeldStatus>(),
  /** Its author sees it as sent. */
  shadowed: defaulted(flag()),
  content_id: nullable(uuid()),
  created_at: defaulted(time()),
  due_at: defaulted(time()),
  decided_at: nullable(time()),
  decided_by: nullable(uuid()),
  note: defaulted(text()),
  delivered_at: nullable(time()),
});
