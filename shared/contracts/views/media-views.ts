import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  count,
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
  url,
} from "#shared/contracts/fields.ts";

/** Views of pictures, sounds, and files that people upload. */

export const userMediaPurposes = [
  "avatar",
  "cover",
  "room_cover",
  "group",
  "post",
  "room_message",
  "conversation",
  "ticket",
] as const;
export const adminMediaPurposes = ["gift", "frame", "sticker", "badge", "banner", "catalogue"] as const;
export type MediaPurpose = (typeof userMediaPurposes)[number] | (typeof adminMediaPurposes)[number];

export const mediaKinds = ["image", "audio", "file"] as const;
export type MediaKind = (typeof mediaKinds)[number];

export const mediaStates = ["pending", "processing", "ready", "rejected"] as const;
export type MediaState = (typeof mediaStates)[number];

const variantNames = ["small", "medium", "large", "original"] as const;
const address = "http://127.0.0.1:3000/media/0198f2a4-a51c-7e02-9c1d-7b3e5a8f2d60/3fa1c20b9d4e5f67-medium.webp";

const side = (example: number) => nullable(integer(1, 65_535, example));

/** An uploaded file as it is shown with what it belongs to. */
export const mediaCard = object({
  id: id(exampleIds.media),
  kind: oneOf(...mediaKinds),
  content_type: Joi.string().max(100).example("image/webp"),
  bytes: count(48_120),
  name: nullable(line(1, 120, "menu.pdf")).description("The name of a file."),
  width: side(960).description("Pixels. Null unless it is a picture."),
  height: side(640).description("Pixels. Null unless it is a picture."),
  blurhash: nullable(Joi.string().max(100).example("LEHV6nWB2yk8pyo0adR*.7kCMdnj")).description(
    "A blurred picture to show until the real one is there. Null unless it is a picture.",
  ),
  duration_ms: nullable(count(4200)).description("Of a voice note. Null otherwise."),
  waveform: nullable(listOf(integer(0, 100, 40)).max(100)).description("The volume of a voice note, from 0 to 100."),
  url: url(address).description("The address of the picture's `medium` variant, or of the file."),
  variants: listOf(
    object({
      name: oneOf(...variantNames),
      url: url(address),
      width: side(960),
      height: side(640),
      bytes: count(48_120),
    }).meta({ name: "MediaVariant" }),
  ).description("Pictures in three sizes, none larger than what was uploaded; other files only as `original`."),
}).meta({ name: "MediaCard" });
export type MediaCard = Infer<typeof mediaCard>;

export const media = object({
  id: id(exampleIds.media),
  purpose: oneOf(...userMediaPurposes, ...adminMediaPurposes),
  state: oneOf(...mediaStates)
    .description("Only what is `ready` can be used.")
    .example("ready"),
  reason: nullable(text(1, 300, "The content is image/png, not image/jpeg.")).description("Why it was rejected."),
  media: nullable(mediaCard).description("Set once it is `ready`."),
  created_at: time(exampleTime(exampleIds.media)),
}).meta({ name: "Media" });
export type Media = Infer<typeof media>;

export const mediaUpload = object({
  id: id(exampleIds.media),
  upload: object({
    method: oneOf("PUT"),
    url: Joi.string().max(4000).example("http://127.0.0.1:3000/uploads/eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl"),
    headers: Joi.object<Record<string, string>>()
      .pattern(Joi.string(), Joi.string())
      .example({ "Content-Type": "image/jpeg", "Content-Length": "2097152" })
      .description("Send these with the bytes."),
    expires_at: time(exampleTime(exampleIds.media, 900)),
  }),
}).meta({ name: "MediaUpload" });
export type MediaUpload = Infer<typeof mediaUpload>;
