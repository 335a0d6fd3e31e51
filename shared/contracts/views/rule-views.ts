import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import {
  count,
  type Infer,
  id,
  limits,
  line,
  listOf,
  object,
  oneOf,
  optional,
  text,
  union,
} from "#shared/contracts/fields.ts";

/** Where a rule holds. */
export const ruleScope = union(
  object({ kind: oneOf("service") }),
  object({ kind: oneOf("category"), category: line(1, 40, "music").description("Of rooms.") }),
  object({ kind: oneOf("room"), room_id: id(exampleIds.room) }),
);
export type RuleScope = Infer<typeof ruleScope>;

export const triggerKinds = ["words", "patterns"] as const;

/** What a rule looks for. */
export const ruleTrigger = union(
  object({
    kind: oneOf("words"),
    words: listOf(line(1, 100, "stupid"))
      .min(1)
      .max(5000)
      .description(
        "Words and phrases. `word*` is the beginning of a word, `*word` its end, `*word*` any part. Accents, look-alikes, digits for letters, repeated letters, and letters that are pulled apart make no difference.",
      ),
    allow: optional(
      listOf(line(1, 100, "stupidity"))
        .max(5000)
        .description("Words that are no match, though they have one in them."),
    ),
  }),
  object({
    kind: oneOf("patterns"),
    patterns: listOf(Joi.string().min(1).max(500).example("win \\d+ coins"))
      .min(1)
      .max(50)
      .description("Regular expressions in the syntax of RE2, for the text in lower case."),
  }),
);
export type RuleTrigger = Infer<typeof ruleTrigger>;

/** What a rule does. */
export const ruleAct = object({
  kind: oneOf("block", "mask").description(
    "`block` refuses the text with CONTENT_BLOCKED; `mask` shows stars instead, but refuses names.",
  ),
  text: line(1, 200, "Please stay friendly.").description("What the person is told whose text is refused."),
});
export type RuleAct = Infer<typeof ruleAct>;

export const rulePreview = object({
  checked: count(10_000).description("Messages."),
  found: count(12).description("Messages in which it finds something."),
  samples: listOf(text(1, limits.messageLength, "You are stupid.")).description("Some of them, the latest first."),
}).meta({ name: "RulePreview" });
export type RulePreview = Infer<typeof rulePreview>;
