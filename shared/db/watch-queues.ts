import type { PgBoss } from "pg-boss";
import { logger } from "#shared/kernel/logger.ts";
import { jobsSchema } from "./install-jobs.ts";

/** The jobs of a queue that wait, by an index: a text that the name's condition follows. */
export const waitingIn = `${jobsSchema}.job WHERE state < 'active' AND NOT blocked AND name`;

/** How late a job may begin that another process has enqueued, or that is retried, milliseconds. */
const lookEachMs = 2000;

const due = `SELECT queue.name FROM unnest($1::text[]) AS queue (name),
  LATERAL (SELECT FROM ${waitingIn} = queue.name AND start_after <= now() LIMIT 1) AS job`;

/**
 * Tells which queues have jobs that are due, again and again until the returned function is called. One statement asks
 * for all: a poll by the worker of each was most of what an idle process did.
 */
export function watchQueues(
  db: ReturnType<PgBoss["getDb"]>,
  names: () => string[],
  tell: (name: string) => void,
): () => void {
  let timer: NodeJS.Timeout;
  let hasEnded = false;
  const look = async () => {
    try {
      const { rows } = await db.executeSql(due, [names()]);
      for (const { name } of rows as { name: string }[]) tell(name);
    } catch (error) {
      if (!hasEnded) logger.error({ err: error }, "job queue failed");
    }
    if (!hasEnded) lookLater();
  };
  const lookLater = () => {
    timer = setTimeout(() => void look(), lookEachMs).unref();
  };
  lookLater();
  return () => {
    hasEnded = true;
    clearTimeout(timer);
  };
}
