import type { Sticker, StickerPack } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { StoredCard } from "../media/media-card.ts";

/** Returns the packs with their stickers, both in their order. Leaves out packs without stickers. */
export async function listStickerPacks(): Promise<StickerPack[]> {
  const rows = await query<Sticker & { pack_id: string; pack_name: string; pack_image: string }>(
    `SELECT s.id, s.name, s.image_url, p.id AS pack_id, p.name AS pack_name, p.image_url AS pack_image
     FROM sticker_packs p JOIN stickers s ON s.pack_id = p.id
     WHERE p.retired_at IS NULL AND s.retired_at IS NULL
     ORDER BY p.position, p.name, p.id, s.position, s.name, s.id`,
  );
  return [...Map.groupBy(rows, ({ pack_id }) => pack_id)].map(([id, found]) => ({
    id,
    name: found[0]!.pack_name,
    image_url: found[0]!.pack_image,
    stickers: found.map(({ id, name, image_url }) => ({ id, name, image_url })),
  }));
}

/** Returns what a message keeps of a sticker. Retired ones stay where they were sent. @throws NOT_FOUND */
export async function takeSticker(id: string): Promise<StoredCard> {
  const sticker = await queryOne<Sticker>(
    `SELECT s.id, s.name, s.image_url FROM stickers s JOIN sticker_packs p ON p.id = s.pack_id
     WHERE s.id = $1 AND s.retired_at IS NULL AND p.retired_at IS NULL`,
    [id],
  );
  if (!sticker) throw new DomainError("NOT_FOUND", "This sticker doesn't exist.");
  return {
    ...{ id, kind: "image", content_type: "image/webp", bytes: 0, name: sticker.name, width: null, height: null },
    ...{ blurhash: null, duration_ms: null, waveform: null, variants: [] },
    address: sticker.image_url,
  };
}
