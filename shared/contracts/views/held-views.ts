import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  flag,
  type Infer,
  id,
  limits,
  nullable,
  object,
  oneOf,
  optional,
  text,
  time,
} from "#shared/contracts/fields.ts";

/** On what was written: not shown to others yet. */
export const heldMark = () =>
  optional(
    flag(true).description(
      "Only its author sees it, until it has been reviewed. It gets another ID then, and the author `content:decided`.",
    ),
  );

export const heldPlaces = ["room_message", "direct_message", "post", "comment"] as const;
const status = () => oneOf("held", "released", "rejected");

const decidedFields = {
  id: id(exampleIds.held),
  place: oneOf(...heldPlaces),
  target_id: nullable(id(exampleIds.room)).description("The room, the conversation, or the post; null for a post."),
  status: status(),
  content_id: nullable(id(exampleIds.roomMessage)).description("What it is now, for others, too."),
  reason: nullable(text(1, 200, "Please stay friendly.")).description("What the rule says, if it was rejected."),
};

/** Something that its author wrote, and that is or was held. */
export const heldThing = object({
  ...decidedFields,
  text: text(0, limits.postLength, "Call me at +123456789"),
  created_at: time(exampleTime(exampleIds.held)),
  decided_at: nullable(time(exampleTime(exampleIds.held, 600))),
}).meta({ name: "HeldContent" });
export type HeldThing = Infer<typeof heldThing>;

export const contentDecided = object({ ...decidedFields, status: oneOf("released", "rejected") });
export type ContentDecided = Infer<typeof contentDecided>;
