import { hkdfSync } from "node:crypto";
import type { MediaConfiguration } from "#shared/domain/base/media/media.config.ts";
import { FolderStore } from "#shared/domain/base/media/stores/folder-store.ts";
import { S3Store } from "#shared/domain/base/media/stores/s3-store.ts";
import type { Config } from "#shared/start/config.ts";

/**
 * Returns where uploaded files are, and what signs their addresses: a key that all processes derive from one secret.
 */
export const mediaSetup = ({ media }: Pick<Config, "media">, jwtSecret: string): MediaConfiguration => ({
  store: media.s3 ? new S3Store(media.s3) : new FolderStore(media.folder),
  key: Buffer.from(hkdfSync("sha256", jwtSecret, "", "hubbub addresses of media", 32)).toString("base64url"),
  publicUrl: media.publicUrl,
});
