import compression from "compression";
import express, { Router } from "express";
import { toString as toQrCode } from "qrcode";
import { checkInput } from "#shared/contracts/check-input.ts";
import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, object, oneOf, optional } from "#shared/contracts/fields.ts";
import { storeProductId } from "#shared/contracts/views.ts";
import { mediaOrigins } from "#shared/domain/base/media/media.config.ts";
import { demoIdToken, demoProviderNames, demoProviders } from "#shared/domain/identity/sign-in/demo-providers.ts";
import { voice, voiceConfigured } from "#shared/domain/live/voice/voice.config.ts";
import {
  buyAtDemoStore,
  demoEvents,
  hasDemoStore,
  tellOfDemoStore,
} from "#shared/domain/money/stores/apple/demo-store.ts";
import { demoPeople } from "#shared/domain/operations/demo/demo-data.ts";
import { listDemoTransactions } from "#shared/domain/operations/demo/demo-ledger.ts";
import { listDemoLogins } from "#shared/domain/operations/demo/demo-logins.ts";
import { isOn, loadedExtensions } from "#shared/extension/loaded.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";
import { type Locals, noStore, sendJson } from "../http/respond.ts";
import { buildCommand, builtFiles } from "./built-pages.ts";
import { html } from "./html.ts";
import { builtPage, layout, makeNonce } from "./layout.ts";
import { sendPage } from "./send-page.ts";
import { wordsOf } from "./words.ts";

/** The plays that the demo knows, if this service has them. */
const playsOn = () =>
  loadedExtensions
    .filter((one) => ["battles", "lucky_gifts", "red_packets"].includes(one.name) && isOn(one))
    .map(({ name }) => name);

const path = "/demo";
const entry = "demo/main.tsx";

/** Whom the page shows: one of the demo people, or all side by side. */
const query = object({ as: optional(oneOf(...demoPeople.map(({ username }) => username))) });

const tokenQuery = object({ provider: oneOf(...demoProviderNames), nonce: line(8, 200) });

const buyBody = object({ user_id: id(exampleIds.ada), product_id: storeProductId() }).required();
const eventBody = object({ event: oneOf(...demoEvents), of: id(exampleIds.coinOrder) }).required();

/**
 * Returns a router for the demo: `/demo`, what it needs to log in, and the ledger's entries of the demo people. For
 * development only, never in production: it gives away the passwords that the start prints, ID tokens, and purchases.
 */
export function demoPage(): Router {
  const router = Router();
  router.use(noStore, compression());
  router.use((_req, res, next) => {
    (res.locals as Locals).route = path;
    next();
  });

  router.get("/", async (req, res) => {
    checkInput(query, { ...req.query }, { stripUnknown: true });
    const files = builtFiles(entry);
    if (!files) return sendPage(res, 503, notBuilt());
    const nonce = makeNonce();
    res.setHeader("Content-Security-Policy", contentPolicy(nonce));
    res.type("html").send(builtPage(await wordsOf(res), "Hubbub demo", files, nonce));
  });
  router.get("/setup.json", async (_req, res) => {
    const phone = phoneUrl() ?? null;
    const has = { voice: voiceConfigured(), providers: demoProviders(), store: hasDemoStore(), plays: playsOn() };
    sendJson(res, 200, { people: await demoLogins(), phone, ...has });
  });
  router.get("/id-token.json", async (req, res) => {
    const { provider, nonce } = checkInput(tokenQuery, { ...req.query }, { stripUnknown: true });
    sendJson(res, 200, { id_token: await demoIdToken(provider, nonce) });
  });
  router.get("/ledger.json", async (_req, res) => {
    sendJson(res, 200, { items: await listDemoTransactions() });
  });
  const json = express.json({ limit: "4kb" });
  router.post("/store/buy.json", json, async (req, res) => {
    const { user_id, product_id } = checkInput(buyBody, req.body ?? {});
    sendJson(res, 200, { signed_transaction: await buyAtDemoStore(user_id, product_id) });
  });
  router.post("/store/event.json", json, async (req, res) => {
    const { event, of } = checkInput(eventBody, req.body ?? {});
    await tellOfDemoStore(event, of);
    sendJson(res, 200, {});
  });
  router.get("/phone.svg", async (req, res, next) => {
    const { as } = checkInput(query, { ...req.query }, { stripUnknown: true });
    const url = phoneUrl();
    if (!url) return next();
    res.type("svg").send(await toQrCode(as ? `${url}?as=${as}` : url, { type: "svg", margin: 2 }));
  });
  return router;
}

async function demoLogins() {
  const logins = await listDemoLogins();
  return logins.map((login) => ({
    ...login,
    full_name: demoPeople.find(({ username }) => username === login.username)!.full_name,
  }));
}

/** Returns the page's address for other devices; undefined if the service listens only on this machine. */
function phoneUrl(): string | undefined {
  const { hostname } = new URL(publicAddress());
  return /^(localhost|127\.|\[::1\])/.test(hostname) ? undefined : publicAddress() + path;
}

/**
 * Allows only what the build contains, the page's own style element, and no other server than this one those
 * of media, and that of voice.
 */
function contentPolicy(nonce: string): string {
  const voiceUrls = voiceConfigured() ? [voice().wsUrl, voice().wsUrl.replace(/^ws/, "http")] : [];
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    ["img-src 'self' data:", ...mediaOrigins()].join(" "),
    "media-src 'self' blob:",
    ["connect-src 'self'", ...mediaOrigins(), ...voiceUrls].join(" "),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const notBuilt = (): string =>
  layout({
    title: "Hubbub demo",
    path,
    main: html`<main class="page">
<h1>The demo isn't built</h1>
<p class="lead">Run <code>${buildCommand}</code> in the service's folder, then reload this page. <code>npm ci</code> does so, too, unless it
leaves out development dependencies.</p>
</main>`,
  });
