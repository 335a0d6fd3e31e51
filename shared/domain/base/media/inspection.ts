import type { MediaCard, MediaKind } from "#shared/contracts/views.ts";
import type { Purpose } from "./purposes.ts";

/** A file to be read. */
export interface Inspection extends Pick<Purpose, "sizes" | "animated"> {
  readonly kind: MediaKind;
  /** What the client said that it is. */
  readonly contentType: string;
  readonly path: string;
  /** Where the files are written that are shown. */
  readonly folder: string;
}

/** What a file is. */
export type Inspected = Pick<MediaCard, "content_type" | "bytes" | "width" | "height" | "blurhash" | "duration_ms"> & {
  readonly variants: readonly (Omit<MediaCard["variants"][number], "url"> & { readonly file: string })[];
};

/** Why a file is not taken. Shown to the person who sent it. */
export class Refusal extends Error {}
