import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Router } from "express";
import { audioPath, isAudioLink } from "#shared/domain/operations/voice-evidence/audio-link.ts";
import { readAudio } from "#shared/domain/operations/voice-evidence/read-audio.ts";
import { isId } from "#shared/kernel/ids.ts";
import type { Locals } from "../../../http/respond.ts";

/**
 * Returns a router for the audio of evidence, which the console plays: its links are signed, and valid for minutes. A
 * file, so plain Express.
 */
export function evidenceAudio(): Router {
  const router = Router();
  router.get(audioPath(), async (req, res, next) => {
    (res.locals as Locals).route = audioPath();
    const { id, userId, until, signature } = req.params as Record<"id" | "userId" | "until" | "signature", string>;
    const isOurs = isId(id) && isId(userId) && isAudioLink(id, userId, until, signature);
    const audio = isOurs ? await readAudio(id, userId) : undefined;
    if (!audio) return next();
    res.set({
      "Content-Type": "audio/wav",
      "Content-Length": String(audio.bytes),
      "Content-Disposition": `attachment; filename="evidence-${id.slice(-12)}-${userId.slice(-12)}.wav"`,
      "Cache-Control": "no-store",
      "Referrer-Policy": "no-referrer",
    });
    await pipeline(Readable.from(audio.content(), { objectMode: false }), res).catch(() => res.destroy());
  });
  return router;
}
