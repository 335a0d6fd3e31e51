import { type Infer, id, line, object, oneOf, text, time } from "#shared/contracts/fields.ts";

/** What can be reported. A message is one of a room or of a conversation. */
export const reportTargets = ["user", "room", "message", "post", "comment"] as const;
export const reportStatuses = ["open", "resolved", "dismissed"] as const;

/** A report as its reporter sees it; nobody else but administrators does. */
export const report = object({
  id: id(),
  target_type: oneOf(...reportTargets),
  target_id: id(),
  reason: line(1, 100, "Harassment"),
  details: text(0, 2000, "Insults everyone who takes a seat."),
  status: oneOf(...reportStatuses),
  created_at: time(),
}).meta({ name: "Report" });
export type Report = Infer<typeof report>;
