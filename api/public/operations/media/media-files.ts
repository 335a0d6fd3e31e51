import { Router } from "express";
import { mediaStore } from "#shared/domain/base/media/media.config.ts";
import { isAwaited } from "#shared/domain/base/media/media.queries.ts";
import { fileKey, isFileName } from "#shared/domain/base/media/media-keys.ts";
import { mayRead, uploadOf } from "#shared/domain/base/media/signed-links.ts";
import { FolderStore } from "#shared/domain/base/media/stores/folder-store.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { isId } from "#shared/kernel/ids.ts";
import type { Locals } from "../../../http/respond.ts";

const contentTypes: Readonly<Record<string, string>> = {
  webp: "image/webp",
  ogg: "audio/ogg",
  webm: "audio/webm",
  m4a: "audio/mp4",
  aac: "audio/aac",
  mp3: "audio/mpeg",
  json: "application/json",
};

/** Nothing in a file runs, whatever it holds, also if a browser opens it alone. */
const harmless = {
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "cross-origin",
};

const noUpload = (): DomainError =>
  new DomainError("NOT_FOUND", "This address isn't valid, or has expired. Announce the upload again.");

/**
 * Returns a router for the bytes of media: it takes uploads, and hands out files. Browsers and image caches open its
 * addresses without a login, so plain Express. What isn't there, or may not be read, gets the page of addresses that
 * aren't found.
 */
export function mediaFiles(): Router {
  const router = Router();
  router.put("/uploads/:token", async (req, res) => {
    (res.locals as Locals).route = "/uploads/:token";
    const store = mediaStore();
    const upload = uploadOf(req.params.token);
    if (!upload || !(store instanceof FolderStore) || !(await isAwaited(upload.id))) throw noUpload();
    if (req.headers["content-type"] !== upload.contentType)
      throw new DomainError("VALIDATION_ERROR", "Send the content type that was announced.");
    if (Number(req.headers["content-length"]) !== upload.bytes)
      throw new DomainError("VALIDATION_ERROR", "Send exactly {{bytes}} bytes.", { values: { bytes: upload.bytes } });
    if (!(await store.receive(upload, req))) throw noUpload();
    res.status(204).end();
  });

  for (const isPrivate of [false, true])
    router.get(`${isPrivate ? "/private" : ""}/media/:id/:file`, async (req, res, next) => {
      (res.locals as Locals).route = "/media/:id/:file";
      const { id, file } = req.params as { id: string; file: string };
      if (!isId(id) || !isFileName(file)) return next();
      if (isPrivate && !mayRead(id, String(req.query.token))) return next();

      const ending = file.slice(file.lastIndexOf(".") + 1);
      const found = await mediaStore().locate(fileKey(id, file, isPrivate));
      res.set({
        ...harmless,
        "Cache-Control": isPrivate ? "private, max-age=3600" : "public, max-age=31536000, immutable",
      });
      if ("url" in found) return void res.set("Cache-Control", "private, max-age=60").redirect(302, found.url);
      res.set("Content-Type", contentTypes[ending] ?? "application/octet-stream");
      // Only pictures and sounds are shown in place.
      if (!contentTypes[ending] || ending === "json") res.set("Content-Disposition", "attachment");
      res.sendFile(found.path, { cacheControl: false, dotfiles: "allow" }, (error) => {
        if (!error || res.headersSent) return;
        if ((error as { status?: number }).status === 416) return void res.status(416).end();
        for (const name of res.getHeaderNames()) if (name !== "x-request-id") res.removeHeader(name);
        next((error as { status?: number }).status === 404 ? undefined : error);
      });
    });
  return router;
}
