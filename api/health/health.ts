import express, { type Express, Router } from "express";
import { observeJobs } from "#shared/db/jobs.ts";
import { observeOutbox } from "#shared/db/observe-outbox.ts";
import { observePool } from "#shared/db/sequelize.ts";
import { observeOrders } from "#shared/domain/catalogue/orders/fulfilment/observe-orders.ts";
import { observeFlaggedOrders } from "#shared/domain/money/payments/purchase-bounds.ts";
import { observePayouts } from "#shared/domain/money/payouts/payouts.queries.ts";
import { observeFindings } from "#shared/domain/money/reconciliation/findings.ts";
import { observeAcknowledgements } from "#shared/domain/money/stores/google/acknowledge.ts";
import { observeEvents } from "#shared/domain/operations/events/observe-events.ts";
import { observeReviews } from "#shared/domain/operations/review-queue/observe-reviews.ts";
import { registry } from "#shared/kernel/metrics.ts";

/** Says what is not ready, by name; an empty list means ready. */
export type Readiness = () => Promise<string[]>;

/** What a process that is about to end lacks. Everything else concerns all processes alike. */
export const shuttingDown = "the process is shutting down";

/** How long a result is cached, in milliseconds: the database is queried at most once a second. */
const freshMs = 1000;

/** Returns a function that shares each result of `make` among all calls within a second of its start. */
function shared<T>(make: () => Promise<T>): () => Promise<T> {
  let last: { readonly made: Promise<T>; readonly atMs: number } | undefined;
  return () => {
    const atMs = performance.now();
    if (!last || atMs - last.atMs > freshMs) last = { made: make(), atMs };
    return last.made;
  };
}

/** `/healthz`: the process answers. */
export function liveness(): Router {
  const router = Router();
  router.get("/healthz", (_req, res) => {
    res.json({ status: "ok" });
  });
  return router;
}

/**
 * `/readyz` (the process can serve; with `?self`, regardless of what all processes depend on), `/metrics` (Prometheus).
 * Not for the public: see `METRICS_PORT`.
 */
export function operations(readiness: Readiness): Router {
  const missingParts = shared(readiness);
  const metricsText = shared(async () => {
    observePool();
    await Promise.all([
      observeJobs(),
      observeOutbox(),
      observeOrders(),
      observeReviews(),
      observeFindings(),
      observePayouts(),
      observeFlaggedOrders(),
      observeAcknowledgements(),
      observeEvents(),
    ]);
    return registry.metrics();
  });

  const router = Router();
  router.get("/readyz", async (req, res) => {
    const missing = (await missingParts()).filter((part) => req.query.self === undefined || part === shuttingDown);
    res
      .status(missing.length === 0 ? 200 : 503)
      .json({ status: missing.length === 0 ? "ready" : "not ready", missing });
  });
  router.get("/metrics", async (_req, res) => {
    res.type(registry.contentType).send(await metricsText());
  });
  return router;
}

/** The app of `METRICS_PORT`. */
export function operationsApp(readiness: Readiness): Express {
  const app = express();
  app.disable("x-powered-by");
  return app.use(liveness(), operations(readiness));
}
