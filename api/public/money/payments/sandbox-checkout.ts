import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import express, { type Request, type Response, Router } from "express";
import { checkInput } from "#shared/contracts/check-input.ts";
import { object, oneOf } from "#shared/contracts/fields.ts";
import { providerId } from "#shared/contracts/views/payment-views.ts";
import { sandbox } from "#shared/domain/money/payments/payments.config.ts";
import { checkoutPath } from "#shared/domain/money/payments/providers/sandbox.ts";
import {
  deliverSandboxWebhook,
  sandboxActions,
  sandboxOrder,
  sandboxWebhook,
} from "#shared/domain/money/payments/providers/sandbox-payments.ts";
import type { Locals } from "../../../http/respond.ts";
import { sendPage } from "../../../web/send-page.ts";
import { wordsOf } from "../../../web/words.ts";
import { type SandboxPage, sandboxPage } from "./sandbox-page.ts";

const route = checkoutPath(":id");
const params = object({ id: providerId() });
const form = object({ action: oneOf(...Object.keys(sandboxActions), "resend") });
const assets = fileURLToPath(new URL("./static", import.meta.url));

/**
 * Returns a router for the page at `providerPayload.checkout_url`, where a user pays, declines or requests a refund.
 * Each action sends the sandbox's signed webhook. Exists only with the sandbox as the provider. Pages and forms, so
 * plain Express.
 */
export function sandboxCheckout(): Router {
  const router = Router();
  router.use("/sandbox/assets", express.static(assets, { index: false, redirect: false }));
  router.get(route, async (req, res) => {
    (res.locals as Locals).route = route;
    const { id } = checkInput(params, req.params);
    sendPage(res, 200, sandboxPage(await wordsOf(res), await showOrder(id, req.query.webhook)));
  });
  router.post(route, express.urlencoded({ extended: false, limit: "1kb" }), actOnOrder);
  return router;
}

async function showOrder(id: string, webhook: unknown): Promise<SandboxPage> {
  const signer = sandbox();
  const order = await sandboxOrder(id);
  const paymentId = order.payment?.status === "failed" ? undefined : order.payment?.id;
  const proof = paymentId && {
    payment_provider_order_id: id,
    payment_provider_payment_id: paymentId,
    payment_provider_signature: signer.signPayment(id, paymentId),
  };
  const outcome = typeof webhook === "string" && /^(\d{3}|none)$/.test(webhook) ? webhook : undefined;
  return { order, proof: proof || undefined, webhook: outcome };
}

/** Applies the action of a button once, sends the webhook, and redirects to the page. */
async function actOnOrder(req: Request, res: Response): Promise<void> {
  (res.locals as Locals).route = route;
  const signer = sandbox();
  const { id } = checkInput(params, req.params);
  const { action } = checkInput(form, { ...req.body });
  await sandboxOrder(id);
  if (action !== "resend" && !(await sandboxActions[action]!(id))) return res.redirect(303, checkoutPath(id));
  const { payment } = await sandboxOrder(id);
  const status = payment && (await deliverSandboxWebhook(originOf(req.socket), sandboxWebhook(signer, payment)));
  res.redirect(303, `${checkoutPath(id)}?webhook=${status ?? "none"}`);
}

/** Returns the address of this process itself, behind any proxy: the local end of the request's connection. */
function originOf({ localAddress = "127.0.0.1", localPort, localFamily }: Socket): string {
  return `http://${localFamily === "IPv6" ? `[${localAddress}]` : localAddress}:${localPort}`;
}
