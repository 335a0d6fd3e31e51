import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Router } from "express";
import { exportPath, isExportLink } from "#shared/domain/operations/exports/export-link.ts";
import { readPieces, takeDownload } from "#shared/domain/operations/exports/read-export.ts";
import { isId } from "#shared/kernel/ids.ts";
import type { Locals } from "../../../http/respond.ts";

/**
 * Returns a router for the links of exports, which browsers and mail programs open without a login. What isn't there
 * (any more) gets the page of addresses that aren't found. A file, so plain Express.
 */
export function exportDownload(): Router {
  const router = Router();
  router.get(exportPath(), async (req, res, next) => {
    (res.locals as Locals).route = exportPath();
    const { id, signature } = req.params as { id: string; signature: string };
    const found = isId(id) && isExportLink(id, signature) ? await takeDownload(id) : undefined;
    if (!found) return next();
    res.set({
      "Content-Type": "application/zip",
      "Content-Length": String(found.bytes),
      "Content-Disposition": `attachment; filename="export-${found.ready_at.slice(0, 10)}.zip"`,
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
    });
    // A client that leaves ends the reading, too.
    await pipeline(Readable.from(readPieces(found), { objectMode: false }), res).catch(() => res.destroy());
  });
  return router;
}
