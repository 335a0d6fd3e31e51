import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { type Fields, id, integer, line, listOf, object, oneOf, optional } from "#shared/contracts/fields.ts";

export const mediaParams = object({ id: id(exampleIds.media) });

const bytesMax = 20 * 1_048_576;

/** What announces an upload for one of these purposes. */
export const uploadBody = <const P extends readonly string[]>(purposes: P, more: Fields = {}) =>
  object({
    purpose: oneOf<P>(...purposes).description("What it is for. It can't be used for anything else."),
    content_type: Joi.string()
      .max(100)
      .example("image/jpeg")
      .description(
        "Pictures: `image/jpeg`, `image/png`, `image/webp`, `image/gif`, `image/avif`. Sounds: `audio/ogg`, `audio/webm`, `audio/mp4`, `audio/aac`, `audio/mpeg`. Each purpose takes some of them.",
      ),
    bytes: integer(1, bytesMax, 2_097_152).description("The exact size."),
    sha256: optional(
      Joi.string()
        .pattern(/^[0-9a-f]{64}$/, "a SHA-256 in lowercase hexadecimal digits")
        .example("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
        .description("If you send it, the bytes are checked against it."),
    ),
    name: optional(line(1, 120, "menu.pdf").description("The name of a file, as others see it.")),
    ...more,
  });

export const waveform = optional(
  listOf(integer(0, 100, 40))
    .min(1)
    .max(100)
    .description("The volume of a voice note over its time, as its recorder knows it."),
);
