import { Router } from "express";
import { observeJobs } from "#shared/db/jobs.ts";
import { observePool } from "#shared/db/sequelize.ts";
import { registry } from "#shared/kernel/metrics.ts";

/** Says what is not ready, by name; an empty list means ready. */
export type Readiness = () => Promise<string[]>;

/** `/healthz` (the process answers), `/readyz` (it can serve), `/metrics` (Prometheus). */
export function operations(readiness: Readiness): Router {
  const router = Router();
  router.get("/healthz", (_req, res) => {
    res.json({ status: "ok" });
  });
  router.get("/readyz", async (_req, res) => {
    const missing = await readiness();
    res
      .status(missing.length === 0 ? 200 : 503)
      .json({ status: missing.length === 0 ? "ready" : "not ready", missing });
  });
  router.get("/metrics", async (_req, res) => {
    observePool();
    await observeJobs();
    res.type(registry.contentType).send(await registry.metrics());
  });
  return router;
}
