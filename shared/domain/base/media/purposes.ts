import type { MediaKind, MediaPurpose } from "#shared/contracts/views.ts";

const MB = 1_048_576;

const pictures = ["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif"] as const;
/** What recorders of browsers, Android, and iOS make. */
const sounds = ["audio/ogg", "audio/webm", "audio/mp4", "audio/aac", "audio/mpeg"] as const;
const files = ["application/pdf", "text/plain", "application/zip"] as const;
/** Animations, which are only passed on: Lottie and SVGA. */
const animations = ["application/json", "application/octet-stream"] as const;

const kinds: Readonly<Record<string, MediaKind>> = {
  ...Object.fromEntries(pictures.map((type) => [type, "image"])),
  ...Object.fromEntries(sounds.map((type) => [type, "audio"])),
};
/** Returns the kind of a content type that a purpose takes. */
export const kindOf = (contentType: string): MediaKind => kinds[contentType] ?? "file";

export interface Purpose {
  readonly types: readonly string[];
  readonly bytesMax: number;
  /** Who uploads. */
  readonly by: "user" | "admin";
  /** A private one is read by signed addresses, which those get who may see where it is shown. */
  readonly isPrivate: boolean;
  /** The longest edges of a picture's variants, pixels. */
  readonly sizes: { readonly small: number; readonly medium: number; readonly large: number };
  /** Whether a moving picture keeps moving. */
  readonly animated: boolean;
}

const purpose = (by: Purpose["by"], types: readonly string[], megabytes: number, more: Partial<Purpose> = {}) => ({
  by,
  types,
  bytesMax: megabytes * MB,
  isPrivate: false,
  sizes: { small: 320, medium: 960, large: 1920 },
  animated: false,
  ...more,
});

const art = { animated: true, sizes: { small: 96, medium: 256, large: 512 } };

/** What media can be for: a row of rules for each purpose. */
export const purposes: Readonly<Record<MediaPurpose, Purpose>> = {
  avatar: purpose("user", pictures, 5, { sizes: { small: 64, medium: 256, large: 512 } }),
  group: purpose("user", pictures, 5, { sizes: { small: 64, medium: 256, large: 512 } }),
  cover: purpose("user", pictures, 10),
  room_cover: purpose("user", pictures, 10),
  post: purpose("user", pictures, 10),
  room_message: purpose("user", [...pictures, ...sounds], 10),
  conversation: purpose("user", [...pictures, ...sounds, ...files], 20, { isPrivate: true }),
  ticket: purpose("user", [...pictures, ...files], 10, { isPrivate: true }),
  gift: purpose("admin", [...pictures, ...animations], 5, art),
  frame: purpose("admin", [...pictures, ...animations], 5, art),
  sticker: purpose("admin", pictures, 2, art),
  badge: purpose("admin", pictures, 2, art),
  banner: purpose("admin", pictures, 10, { animated: true }),
  catalogue: purpose("admin", pictures, 10),
};

/** The longest voice note, milliseconds. */
export const soundMsMax = 300_000;
/** The most pixels of a picture, all frames of a moving one together: a bomb is refused by its header. */
export const pixelsMax = 40_000_000;
