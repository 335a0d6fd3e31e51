import type { Response } from "express";

/** Allows no scripts, nothing inline, and nothing from other origins. Forms can only be sent to this origin. */
const contentPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Sends a personal page, which must not be cached. */
export function sendPage(res: Response, status: number, markup: string): void {
  res.setHeader("Content-Security-Policy", contentPolicy);
  res.setHeader("Cache-Control", "no-store");
  res.status(status).type("html").send(markup);
}
