import { defineJob } from "#shared/db/jobs.ts";

/** Erases an account when its deletion is due; does nothing if its owner has logged in since. */
export const erasureJob = defineJob<{ user_id: string }>("deletion.erase", {
  retries: 20,
  retryMaxSeconds: 3600,
  timeoutSeconds: 900,
});

/** Enqueues the erasure of accounts whose own job was lost. */
export const overdueJob = defineJob("deletion.overdue", {
  retries: 3,
  retryMaxSeconds: 60,
  timeoutSeconds: 60,
  exclusive: true,
});
