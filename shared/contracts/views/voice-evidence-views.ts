import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { count, type Infer, id, line, listOf, nullable, object, oneOf, time } from "#shared/contracts/fields.ts";

export const evidenceStatuses = ["sealed", "requested", "open"] as const;

const seatFields = {
  user_id: id(exampleIds.grace),
  seconds: count(42).description("How long they are heard, without silence."),
};

/** What was said in a room, sealed by a report. */
export const voiceEvidence = object({
  id: id(exampleIds.voiceEvidence),
  room_id: id(exampleIds.room),
  started_at: nullable(time(exampleTime(exampleIds.voiceEvidence, -300))).description(
    "Null once all who were heard are erased.",
  ),
  seconds: count(300).description("From the first to the last word."),
  seats: listOf(object(seatFields)).description("The people who are heard."),
  report_ids: listOf(id(exampleIds.report)).description("The reports that sealed it."),
  status: oneOf(...evidenceStatuses).description(
    "`requested`: another administrator must approve. `open`: the two who requested and approved can listen.",
  ),
  requested_by: nullable(id(exampleIds.admin).example(null)),
  requested_at: nullable(time(exampleTime(exampleIds.voiceEvidence, 600)).example(null)),
  reason: nullable(evidenceReason().example(null)),
  approved_by: nullable(id(exampleIds.admin).example(null)),
  approved_at: nullable(time(exampleTime(exampleIds.voiceEvidence, 900)).example(null)),
  created_at: time(exampleTime(exampleIds.voiceEvidence)),
  expires_at: time(exampleTime(exampleIds.voiceEvidence, 30 * 86_400)).description("When it is deleted, with its key."),
}).meta({ name: "VoiceEvidence" });
export type VoiceEvidence = Infer<typeof voiceEvidence>;

/** Why an administrator must listen. */
export function evidenceReason() {
  return line(1, 200, "Threats against a minor, report of Nov 25");
}

export const voiceRecordings = object({
  id: id(exampleIds.voiceEvidence),
  seats: listOf(
    object({
      ...seatFields,
      url: Joi.string()
        .example("https://api.example.com/voice-evidence/0198f2b4/grace.wav")
        .description("A WAV file, for 5 minutes, without a token. All of them begin at the same time."),
    }),
  ),
}).meta({ name: "VoiceRecordings" });
export type VoiceRecordings = Infer<typeof voiceRecordings>;
