import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import compression from "compression";
import express, { type RequestHandler, type Response, Router } from "express";
import helmet from "helmet";
import { publicAddress } from "#shared/kernel/public-address.ts";
import manifest from "../../package.json" with { type: "json" };
import type { Api } from "../http/api.ts";
import { urlNotFound } from "../http/respond.ts";
import { asyncApi } from "./asyncapi.ts";
import { errorsPage } from "./errors-page.ts";
import { eventsPage } from "./events-page.ts";
import { guidePage, guides, guidesPage } from "./guides.ts";
import { indexPage, missingPage, type PagesHere } from "./index-page.ts";
import { openApi } from "./openapi.ts";
import { referencePage, references } from "./reference-page.ts";
import { searchIndex } from "./search-index.ts";
import { timelinePage } from "./timeline-page.ts";

/** Nothing inline, nothing from elsewhere. Swagger UI's style sheet carries its icons as `data:` images. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const pictures = fileURLToPath(new URL("../../docs/pictures", import.meta.url));
const ownAssets = fileURLToPath(new URL("./static", import.meta.url));
const swaggerFolder = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist")));
const socketFile = "socket.io.esm.min.js";
const socketFolder = fileURLToPath(new URL("./client-dist", import.meta.resolve("socket.io")));
const swaggerAssets = ["swagger-ui.css", "swagger-ui-bundle.js"];

/**
 * The documents of the API, all served from here and usable without internet: `/` (where to go), `/docs` (reference),
 * `/docs/admin`, `/docs/catalogue`, `/docs/events`, `/docs/timeline`, `/docs/errors`, `/docs/guides`, `/openapi.json`
 * and those of the other APIs, `/asyncapi.json`.
 */
export function docsPages(apis: readonly Api[], here: PagesHere): Router {
  const router = Router();
  router.use(["/docs", "/asyncapi.json", ...apis.map(addressOf)], compression());
  for (const api of apis.filter((one) => !isBelowApi(one))) router.get(addressOf(api), openApiOf(api));
  router.get(
    "/asyncapi.json",
    document(() => asyncApi(publicAddress())),
  );
  router.get("/", page(once(() => indexPage(manifest.version, here))));
  for (const [index, api] of apis.entries()) {
    const reference = references[index]!;
    router.get(reference.path, page(once(() => referencePage(api, reference, here.devPages))));
  }
  router.get("/docs/events", page(once(() => eventsPage(here.devPages))));
  router.get("/docs/timeline", page(once(timelinePage)));
  router.get(
    "/docs/search.json",
    document(() => searchIndex(apis)),
  );
  router.get("/docs/errors", page(once(errorsPage)));
  router.get("/docs/guides", page(guidesPage));
  router.get("/docs/guides/:slug", (req, res, next) => {
    const guide = guides().find(({ slug }) => slug === req.params.slug);
    return guide ? page(() => guidePage(guide))(req, res, next) : next();
  });
  router.use("/docs/pictures", express.static(pictures, { index: false, redirect: false }));
  router.use("/docs/assets", express.static(ownAssets, { index: false, redirect: false }));
  for (const file of swaggerAssets) {
    router.get(`/docs/assets/${file}`, (_req, res) => res.sendFile(file, { root: swaggerFolder }));
  }
  router.get("/docs/assets/socket.io.esm.min.js", (_req, res) => res.sendFile(socketFile, { root: socketFolder }));
  router.all(
    router.stack.flatMap(({ route }) => route?.path ?? []),
    readOnly,
  );
  return router;
}

/** Shows a reader in a browser the way on from an address that doesn't exist. Programs get the API's error. */
export const notFoundPage: RequestHandler = (req, res, next) => {
  if (req.method !== "GET" || req.accepts("json", "html") !== "html") return next();
  res.status(404);
  return page(missingPage)(req, res, next);
};

/** Answers 405 to what would change a page. */
const readOnly: RequestHandler = (req, res, next) => {
  if (req.method === "GET" || req.method === "HEAD") return next();
  res.setHeader("Allow", "GET, HEAD");
  throw urlNotFound(req, { allowed: "GET, HEAD" });
};

const addressOf = ({ document: { file } }: Api): string => `/${file}`;
const openApiOf = (api: Api): RequestHandler => document(() => openApi(api));
const isBelowApi = (api: Api): boolean => addressOf(api).startsWith(`${api.basePath}/`);

/** The documents at addresses below their API, which answers all others there: mounted before it. */
export function documentsBelowApis(apis: readonly Api[]): Router {
  const router = Router();
  for (const api of apis.filter(isBelowApi)) router.get(addressOf(api), helmet(), compression(), openApiOf(api));
  return router;
}

/**
 * Generated at the first request: a document is large, and contains the URL, which is known only once the port is open.
 */
function document(make: () => object | Promise<object>): RequestHandler {
  let text: Promise<string> | undefined;
  return async (_req, res: Response) => {
    text ??= Promise.resolve(make()).then((made) => JSON.stringify(made));
    res.type("json").send(await text);
  };
}

/** Makes a page at the first request: describing all schemas would take a tenth of the start. */
function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}

const page =
  (markup: () => string): RequestHandler =>
  (_req, res: Response) => {
    res.setHeader("Content-Security-Policy", contentPolicy);
    res.type("html").send(markup());
  };
