import type { MediaCard } from "#shared/contracts/views.ts";
import { publicMediaUrl } from "./media.config.ts";
import { fileKey } from "./media-keys.ts";
import { privateAddress } from "./signed-links.ts";

/** What records keep of a medium that they show: everything but its addresses, which depend on where the files are. */
export interface StoredCard extends Omit<MediaCard, "url" | "variants"> {
  readonly variants: readonly (Omit<MediaCard["variants"][number], "url"> & { readonly file: string })[];
  /** `media/<id>/`: the database counts by it how many records show the medium. */
  readonly path?: string;
  /** Of what isn't an upload, but a sticker: where its picture is. */
  readonly address?: string;
  readonly is_private?: true;
}

/** Returns a medium's card with addresses. Those of private files work for an hour. */
export function toMediaCard({ path: _, is_private, address, variants, ...card }: StoredCard): MediaCard {
  if (address !== undefined) return { ...card, url: address, variants: [] };
  const addressOf = (file: string) =>
    is_private ? privateAddress(card.id, file) : `${publicMediaUrl()}/${fileKey(card.id, file, false)}`;
  const shown = variants.map(({ file, ...variant }) => ({ ...variant, url: addressOf(file) }));
  const main = shown.find(({ name }) => name === "medium") ?? shown[0]!;
  return { ...card, url: main.url, variants: shown };
}

/** Returns the address of one size of a public picture, for members that hold an address. */
export const addressOfSize = (card: StoredCard, size: "small" | "medium" | "large"): string => {
  const { variants, url } = toMediaCard(card);
  return variants.find(({ name }) => name === size)?.url ?? url;
};
