import type { Client } from "pg";
import { PgBoss } from "pg-boss";
import { logger } from "#shared/kernel/logger.ts";

/** The schema that pg-boss keeps its tables in. */
export const jobsSchema = "pgboss";

/** Creates the tables of pg-boss, or upgrades them to the installed version. A step of `migrate`, on its connection. */
export async function installJobs(client: Client): Promise<void> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => client.query(text, values) },
    schema: jobsSchema,
    migrate: true,
    supervise: false,
    schedule: false,
  });
  boss.on("error", (error) => logger.error({ err: error }, "job tables were not created"));
  await boss.start();
  await boss.stop({ graceful: false });
}
