import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { type Infer, id, limits, nullable, object, oneOf, optional, text, time } from "#shared/contracts/fields.ts";
import { appeal } from "./sanction-views.ts";

/** What can be taken from view. `held`: it waited for a review, and was refused. `picture`: of a profile. */
export const removalKinds = ["post", "comment", "room_message", "direct_message", "held", "picture"] as const;
export type RemovalKind = (typeof removalKinds)[number];

/** What administrators say to the person. */
export const removalReason = () =>
  text(0, 500, "Insults aren't allowed here.").description("Why, as its author is told.");

/** The same in a call that removes something. */
export const toldField = () =>
  optional(
    text(1, 500, "Insults aren't allowed here.").description(
      "What the user is told: why. By default, the text of the rule, or that it breaks the guidelines.",
    ),
  );

/** Something that was removed, as its author sees it. */
export const removal = object({
  id: id(exampleIds.removal),
  kind: oneOf(...removalKinds),
  content_id: id(exampleIds.post),
  text: text(0, limits.postLength, "What a day!").description("What it said; the address of a picture."),
  reason: removalReason(),
  created_at: time(exampleTime(exampleIds.removal)),
  restored_at: nullable(time(exampleTime(exampleIds.removal, 7200))).description("When it came back."),
  appeal: nullable(appeal).description("Null: none yet. There is one for each removal, within 30 days."),
}).meta({ name: "Removal" });
export type Removal = Infer<typeof removal>;
