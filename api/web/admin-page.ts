import compression from "compression";
import { type RequestHandler, Router } from "express";
import { mediaOrigins } from "#shared/domain/base/media/media.config.ts";
import { type Locals, noStore } from "../http/respond.ts";
import { buildCommand, builtFiles } from "./built-pages.ts";
import { html } from "./html.ts";
import { builtPage, layout, makeNonce } from "./layout.ts";
import { sendPage } from "./send-page.ts";
import { wordsOf } from "./words.ts";

const path = "/admin";

interface ConsolePage {
  readonly path: string;
  /** Of `vite.config.ts`. */
  readonly entry: string;
  readonly title: string;
}

/**
 * Returns a router for the console of administrators: `/admin` and every address below it, which the page itself reads,
 * and `/admin/api.json`, which describes the admin API to it. None of it is secret; the data need an admin token.
 */
export function adminPage(describe: () => Promise<object>): Router {
  const router = Router();
  router.get(`${path}/api.json`, compression(), descriptionOf(describe));
  router.use(consolePage({ path, entry: "admin/main.tsx", title: "Hubbub admin" }));
  return router;
}

/**
 * Returns a router for the studio of hosts and agencies: `/studio` and every address below it. It is made of the
 * console's components; the data need a user's token.
 */
export const studioPage = (): Router =>
  consolePage({ path: "/studio", entry: "studio/main.tsx", title: "Hubbub studio" });

function consolePage({ path, entry, title }: ConsolePage): Router {
  const router = Router();
  router.use(path, compression(), (_req, res, next) => {
    (res.locals as Locals).route = path;
    next();
  });
  router.get([path, `${path}/*rest`], noStore, async (_req, res) => {
    const files = builtFiles(entry);
    if (!files) return sendPage(res, 503, notBuilt(path, title));
    const nonce = makeNonce();
    res.setHeader("Content-Security-Policy", contentPolicy(nonce));
    res.type("html").send(builtPage(await wordsOf(res), title, files, nonce));
  });
  return router;
}

/** Described at the first request, and then the same until the service restarts with another table. */
function descriptionOf(describe: () => Promise<object>): RequestHandler {
  let text: Promise<string> | undefined;
  return async (_req, res) => {
    (res.locals as Locals).route = path;
    text ??= describe().then((description) => JSON.stringify(description));
    res.setHeader("Cache-Control", "no-cache");
    res.type("json").send(await text);
  };
}

/** Allows what the build contains, and the style elements of the component library, which carry the nonce. */
const contentPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    ["img-src 'self' data:", ...mediaOrigins()].join(" "),
    "font-src 'self'",
    "media-src 'self'",
    ["connect-src 'self'", ...mediaOrigins()].join(" "),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const notBuilt = (path: string, title: string): string =>
  layout({
    title,
    path,
    main: html`<main class="page">
<h1>This page isn't built</h1>
<p class="lead">Run <code>${buildCommand}</code> in the service's folder, then reload this page. <code>npm ci</code> does so, too, unless it
leaves out development dependencies.</p>
</main>`,
  });
