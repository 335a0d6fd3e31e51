import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import {
  count,
  flag,
  type Infer,
  id,
  integer,
  limits,
  line,
  listOf,
  object,
  oneOf,
  optional,
  text,
  union,
} from "#shared/contracts/fields.ts";
import { sanctionKinds } from "../sanction-rights.ts";

/** Where a rule holds. */
export const ruleScope = union(
  object({ kind: oneOf("service") }),
  object({ kind: oneOf("category"), category: line(1, 40, "music").description("Of rooms.") }),
  object({ kind: oneOf("language"), language: line(2, 8, "en").description("Of rooms.") }),
  object({
    kind: oneOf("country"),
    country: Joi.string()
      .pattern(/^[A-Z]{2}$/)
      .required()
      .example("IN")
      .description("The country in the author's profile, ISO 3166-1 alpha-2. Authors without a country are in none."),
  }),
  object({ kind: oneOf("room"), room_id: id(exampleIds.room) }),
);
export type RuleScope = Infer<typeof ruleScope>;

export const triggerKinds = [
  "words",
  "patterns",
  "links",
  "mentions",
  "capitals",
  "repeats",
  "floods",
  "new_accounts",
  "labels",
] as const;

const seconds = () => integer(1, 3600, 60);

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
  object({
    kind: oneOf("links"),
    allow: optional(
      listOf(line(3, 100, "example.com"))
        .max(500)
        .description("Domains whose links are no match."),
    ),
  }),
  object({ kind: oneOf("mentions"), more_than: integer(0, 50, 5) }),
  object({
    kind: oneOf("capitals"),
    percent: integer(50, 100, 80).description("Of the letters, at least."),
    letters: integer(5, 1000, 20).description("In texts of at least so many."),
  }),
  object({
    kind: oneOf("repeats"),
    times: integer(2, 20, 3).description("How often a person writes the same."),
    seconds: seconds(),
  }),
  object({
    kind: oneOf("floods"),
    texts: integer(2, 100, 10).description("More than so many of a person."),
    seconds: seconds(),
  }),
  object({
    kind: oneOf("new_accounts"),
    hours: integer(1, 720, 24).description("Everything by accounts newer than that."),
  }),
  object({
    kind: oneOf("labels"),
    labels: listOf(line(1, 40, "harassment"))
      .min(1)
      .max(50),
    percent: integer(1, 100, 80).description("How sure the judge is, at least."),
  }),
);
export type RuleTrigger = Infer<typeof ruleTrigger>;

const told = () => line(1, 200, "Please stay friendly.").description("What the person is told whose text is refused.");
const minutes = () => integer(1, 525_600, 60);

/** What a rule does. */
export const ruleAct = union(
  object({
    kind: oneOf("block", "mask", "hold", "alert", "allow").description(
      "`block` refuses the text with CONTENT_BLOCKED. `mask` shows stars instead, and `hold` shows the text to its author only until it has been reviewed; both refuse where that isn't possible, such as in names. `alert` shows it, and asks for a review. `allow`: no rule finds anything in what this one finds.",
    ),
    text: told(),
    harm: optional(integer(1, 3, 2).description("For `hold` and `alert`: 3 is reviewed first. Default: 2.")),
  }),
  object({
    kind: oneOf("shadow").description(
      "For `repeats` and `floods`, while the setting `shadow_spam` is on. In messages of rooms and conversations, the author sees the text as sent, and no other user does until it has been released; elsewhere, it is held, or refused where that isn't possible.",
    ),
    text: told(),
    harm: optional(integer(1, 3, 2).description("3 is reviewed first. Default: 2.")),
  }),
  object({
    kind: oneOf("timeout").description("Refuses the text, and keeps the person from writing for a while."),
    text: told(),
    minutes: minutes(),
  }),
  object({
    kind: oneOf("sanction").description("Refuses the text, and imposes a sanction."),
    text: told(),
    kinds: listOf(oneOf(...sanctionKinds))
      .min(1)
      .unique(),
    minutes: optional(minutes().description("Absent: until it is lifted.")),
    warn_first: optional(
      flag().description("Whether a person whom the rule hasn't met for 90 days is only warned. Default: true."),
    ),
  }),
);
export type RuleAct = Infer<typeof ruleAct>;

export const rulePreview = object({
  checked: count(10_000).description("Messages."),
  found: count(12).description("Messages in which it finds something."),
  samples: listOf(text(1, limits.messageLength, "You are stupid.")).description("Some of them, the latest first."),
}).meta({ name: "RulePreview" });
export type RulePreview = Infer<typeof rulePreview>;
