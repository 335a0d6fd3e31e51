import compression from "compression";
import cors from "cors";
import express, { type Express } from "express";
import helmet from "helmet";
import type { Redis } from "ioredis";
import { allApis, inMountOrder } from "./apis.ts";
import type { ApiDeps } from "./deps.ts";
import { describeAdminApi } from "./docs/admin-description.ts";
import { demoLogin } from "./docs/demo-login.ts";
import { docsPages, documentsBelowApis, notFoundPage } from "./docs/pages.ts";
import { liveness, operations, type Readiness } from "./health/health.ts";
import type { Api } from "./http/api.ts";
import { mount } from "./http/mount.ts";
import { assignRequestId, observeRequests } from "./http/observe.ts";
import { ownHostOnly } from "./http/own-host.ts";
import { routesAt } from "./http/paths.ts";
import { makeRateLimits, type RateLimits } from "./http/rate-limit.ts";
import { errorHandler, noStore, urlNotFound } from "./http/respond.ts";
import { apiKeysPage } from "./public/identity/api-keys/api-keys-page.ts";
import { resetPasswordRoute } from "./public/identity/auth/auth.routes.ts";
import { resetPasswordPage } from "./public/identity/auth/reset-page.ts";
import { appealPage } from "./public/identity/sanctions/appeal-page.ts";
import { receiptPages } from "./public/money/payments/receipt-pages.ts";
import { sandboxCheckout } from "./public/money/payments/sandbox-checkout.ts";
import { exportDownload } from "./public/operations/exports/export-download.ts";
import { devOutbox } from "./public/operations/mail/dev-outbox.ts";
import { mediaFiles } from "./public/operations/media/media-files.ts";
import { policiesPages } from "./public/operations/policies/policies-pages.ts";
import { statementPages } from "./public/operations/statements/statement-pages.ts";
import { evidenceAudio } from "./public/operations/voice-evidence/evidence-audio.ts";
import { adminPage, studioPage } from "./web/admin-page.ts";
import { demoArt } from "./web/art.ts";
import { builtAssets, builtPath } from "./web/built-pages.ts";
import { demoPage } from "./web/demo-page.ts";

export interface AppOptions extends ApiDeps {
  /** Origins that browsers may call from; `*` for any. */
  corsOrigins: readonly string[];
  /** Origins that browsers may call private APIs from. */
  privateOrigins: readonly string[];
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  rateLimits: boolean;
  redis?: Redis;
  /** Without it the process answers its operations endpoints only. */
  serveApi: boolean;
  /** Serves what only developers may see; never in production. */
  devPages: boolean;
  /** Returns what isn't ready, for `/readyz`. Without it, neither `/readyz` nor `/metrics` exists. */
  readiness?: Readiness;
  /** Takes requests that are not REST (matchmaking) before any body is read. */
  before?: express.RequestHandler;
}

/** The REST facade: everything under `/api/v1`, its documents, and the operations endpoints. */
export function makeApp(options: AppOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("trust proxy", options.trustedProxies);
  app.set("query parser", "simple");

  app.use(assignRequestId);
  app.use(observeRequests);
  const apis = allApis(options);
  // Before CORS: no page of another origin reads them.
  if (options.serveApi && options.devPages) {
    app.use("/dev", ownHostOnly, helmet(), devOutbox(), demoLogin());
    app.use("/demo", ownHostOnly, helmet(), demoPage());
  }
  app.use(corsOf(apis, options));
  if (options.before) {
    // A place in a room is a secret, as a token is.
    app.use("/matchmake", noStore);
    app.use(options.before);
  }
  const rateLimits = makeRateLimits({ enabled: options.rateLimits, ...(options.redis && { redis: options.redis }) });
  // First of all: a call passes no page on its way.
  if (options.serveApi) app.use(documentsBelowApis(apis));
  if (options.serveApi)
    for (const api of inMountOrder(apis)) app.use(api.basePath, responseHeaders, mount(api, rateLimits));
  app.use(helmet());
  app.use(liveness());
  if (options.readiness) app.use(operations(options.readiness));
  if (options.serveApi) servePages(app, options, apis, rateLimits);

  if (options.serveApi) app.use(notFoundPage);
  app.use((req) => {
    const path = req.path.replace(/^(?:\/api)?(?:\/v\d+)?(?=\/)/, "");
    const meant = apis.find(({ routes }) => routesAt(routes, path).length > 0);
    throw urlNotFound(req, meant ? { meant: meant.basePath + path } : {});
  });
  app.use(errorHandler(apis[0]));
  return app;
}

/** Lets browsers call from the configured origins. Private APIs have origins of their own. */
function corsOf(apis: readonly Api[], { corsOrigins, privateOrigins }: AppOptions): express.RequestHandler {
  const shared = { exposedHeaders: ["X-Request-Id", "Retry-After"] };
  const open = { ...shared, origin: corsOrigins.includes("*") ? "*" : [...corsOrigins] };
  const restricted = { ...shared, origin: [...privateOrigins] };
  const privatePaths = apis.filter(({ isPrivate }) => isPrivate).map(({ basePath }) => `${basePath}/`);
  return cors<express.Request>((req, done) =>
    done(null, privatePaths.some((path) => req.path.toLowerCase().startsWith(path)) ? restricted : open),
  );
}

/** What is never shown in a page needs fewer of helmet's headers than a page does. */
const responseHeaders = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

function servePages(app: Express, options: AppOptions, apis: ReturnType<typeof allApis>, rateLimits: RateLimits): void {
  app.use(docsPages(apis, options));
  app.use(adminPage(() => describeAdminApi(apis[1].routes)));
  app.use(studioPage());
  app.use(`${builtPath}/assets`, compression(), builtAssets);
  app.use(sandboxCheckout());
  app.use(receiptPages());
  app.use(statementPages());
  app.use(exportDownload());
  app.use(evidenceAudio());
  app.use(mediaFiles());
  app.use("/art", demoArt);
  app.use(resetPasswordPage(rateLimits.of(apis[0], resetPasswordRoute)));
  const limitOf = (id: string) => rateLimits.of(apis[0], apis[0].routes.find((route) => route.id === id)!);
  app.use(appealPage(limitOf("appealSanction")));
  app.use(policiesPages(limitOf("getPolicies")));
  app.use(apiKeysPage({ login: limitOf("logIn"), create: limitOf("createApiKey") }));
}
