import type { Actors } from "#shared/contracts/actors.ts";
import { setTimetable, workOn } from "#shared/db/jobs.ts";
import { deleteMediaRoom } from "#shared/domain/voice/media-server.ts";
import { closeMediaRoom } from "#shared/domain/voice/voice-sync.ts";
import { startVoiceWorker } from "#shared/domain/voice/voice-worker.ts";
import { pruneAll, prunings } from "./prune.ts";

/** What the workers need from outside the domain; `main.ts` gives it. */
export interface WorkerDeps {
  readonly actors: Actors;
}

/**
 * Starts everything that the role `jobs` does; after `startJobs({ work: true })`. Answers a function that ends the work
 * which is not pg-boss's own; `stopJobs` ends the rest.
 */
export async function startWorkers({ actors }: WorkerDeps): Promise<() => Promise<void>> {
  await workOn(closeMediaRoom, ({ room_id }) => deleteMediaRoom(room_id));
  for (const { job, some } of prunings) await workOn(job, () => pruneAll(job.name, some));
  await setTimetable(prunings.map(({ job, cron }) => [job, cron] as const));
  return startVoiceWorker(actors);
}
