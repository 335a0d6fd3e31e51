import { defineJob } from "#shared/db/jobs.ts";

/** Erases an account when its time has come; does nothing when its owner has logged in meanwhile. */
export const erasureJob = defineJob<{ user_id: string }>("deletion.erase", {
  retries: 20,
  retryMaxSeconds: 3600,
  timeoutSeconds: 900,
});

/** Asks for the erasure of whoever was left behind. */
export const overdueJob = defineJob("deletion.overdue", {
  retries: 3,
  retryMaxSeconds: 60,
  timeoutSeconds: 60,
  exclusive: true,
});
