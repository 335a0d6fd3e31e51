import { setFlagsFromString } from "node:v8";
import { Command } from "commander";
import { assertCommand } from "#shared/kernel/assert-command.ts";
import { loadNamedExtensions, loadPlays, playFolders } from "#shared/testing/load-plays.ts";
import { addBenchmarks, positive } from "./bench-commands.ts";
import { addScenarios, told } from "./tool/commands.ts";

// Its heap is small, so that V8 would collect all of it every few seconds, for longer than a call takes.
setFlagsFromString("--heap-growing-percent=400");

/**
 * Load tests, and benchmarks: those start the service in a data folder of their own, and compare it with a baseline.
 */
const program = new Command("loadtest").description("Load tests and benchmarks of Hubbub.");

// Their workloads are scenarios, too.
await told(loadNamedExtensions);
addScenarios(program);

program
  .command("rolling")
  .description("restarts of two processes in turn behind HAProxy, under load: no failed call, no lost message, no wave")
  .option("--restarts <n>", "restarts", positive, 50)
  .option("--clients <n>", "clients with a socket", positive, 50)
  .option("--rate <n>", "calls per second, and a fifth as many messages", positive, 100)
  .option("--drain <n>", "DRAIN_SECONDS of the processes", positive, 5)
  .option("--from <folder>", "begin with processes of the release in this folder, such as the previous one")
  .action(async (options) => (await import("./rolling.ts")).rolling(options));

program
  .command("chaos")
  .description(
    "several processes, PostgreSQL, and Redis are killed, stopped, and cut off while clients use them; fails if anything acknowledged is lost",
  )
  .option("--kills <n>", "faults, until which none may be noticed", positive, 100)
  .option("--seed <n>", "repeats the choices of a run", positive)
  .option("--processes <n>", "processes of the service; two to four by default", positive)
  .option("--rooms <n>", "rooms", positive, 3)
  .option("--people <n>", "people in each room", positive, 4)
  .option("--per-round <n>", "the most faults before everything is compared", positive, 4)
  .option("--seconds <n>", "time in which the faults of a round begin", positive, 3)
  .option("--longest <n>", "how long a fault lasts at most, seconds", positive, 4)
  .option("--serves-within <n>", "every process must serve so soon after the last fault, seconds", positive, 10)
  .option("--only <names>", "only these faults, separated by commas")
  .option("--pgbouncer", "reach PostgreSQL by PgBouncer, which is killed, too")
  .option("--replicated", "have a replica of PostgreSQL, and of Redis behind Sentinel, which take their places")
  .action(async (options) => {
    await loadPlaysByDefault();
    await (await import("./chaos/chaos.ts")).chaos(options);
  });

program
  .command("capacity")
  .description("what people cost on this machine, with a service of its own, and how many it carries; in three minutes")
  .option("--room-size <n>", "people in a room", positive, 25)
  .option("--messages-per-minute <n>", "that a person says", positive, 1)
  .option("--gifts-per-minute <n>", "that a person gives", positive, 0.1)
  .option("--visit-minutes <n>", "how long a person stays in a room", positive, 20)
  .option("--clients <n>", "connections that are made to measure one", positive, 1000)
  .option("--seconds <n>", "duration of each measurement", positive, 12)
  .option("--rate <n>", "messages, and gifts, per second while they are measured", positive, 100)
  .action(async (options) => (await import("./capacity.ts")).capacity(options));

addBenchmarks(program);

/** Also for the processes of the service that it starts. */
async function loadPlaysByDefault(): Promise<void> {
  if (process.env.HUBBUB_EXTENSIONS !== undefined) return;
  process.env.HUBBUB_EXTENSIONS = playFolders.join();
  await loadPlays();
}

await told(() => assertCommand(program, process.argv[2]));
if (!process.exitCode) await program.parseAsync();
process.exit();
