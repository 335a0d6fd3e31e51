import { Command, InvalidArgumentError } from "commander";
import { admin } from "./admin.ts";
import { bench } from "./bench.ts";
import { catalogue } from "./catalogue.ts";
import { chaos } from "./chaos/chaos.ts";
import { fairness } from "./fairness.ts";
import { fanout } from "./fanout.ts";
import { gameSecrets } from "./game-secrets.ts";
import { games } from "./games.ts";
import { gift } from "./gift.ts";
import { idle } from "./idle.ts";
import { joinStorm } from "./join-storm.ts";
import { ledger } from "./ledger.ts";
import { lists } from "./lists.ts";
import { reads } from "./reads.ts";
import { relay } from "./relay.ts";
import { rolling } from "./rolling.ts";
import { rooms } from "./rooms.ts";
import { start } from "./start.ts";

/**
 * Load tests and benchmarks. Each starts the service in its own data folder on this machine, and stops it at the end. Run
 * them manually, on an idle machine. Results are ratios to a baseline that is measured in the same run.
 */
const program = new Command("loadtest").description("Load tests and benchmarks of Hubbub.");

const number = (text: string) => {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("It must be a positive number.");
  return value;
};

program
  .command("fanout")
  .description("chat in a full room, compared with a bare Socket.IO server that stores nothing")
  .option("--clients <n>", "clients in the room", number, 300)
  .option("--rate <n>", "messages per second", number, 50)
  .option("--seconds <n>", "duration of a run", number, 10)
  .option("--rounds <n>", "runs per server", number, 3)
  .action(fanout);

program
  .command("gift")
  .description("gifts over REST with all that follows from them, compared with a naive transaction of the same rows")
  .option("--connections <n>", "concurrent gifts", number, 32)
  .option("--seconds <n>", "duration of a run", number, 8)
  .option("--rounds <n>", "runs per server", number, 3)
  .action(gift);

program
  .command("ledger")
  .description(
    "random movements of coins amid kills, recounted at the end; and transfers alone, compared with a naive gift",
  )
  .option("--movements <n>", "acknowledged movements", number, 100_000)
  .option("--connections <n>", "concurrent movements", number, 32)
  .option("--kills <n>", "kills, of the process and of PostgreSQL in turn", number, 10)
  .option("--seconds <n>", "duration of a run of transfers alone", number, 5)
  .option("--rounds <n>", "runs of transfers alone", number, 3)
  .action(ledger);

program
  .command("rolling")
  .description("restarts of two processes in turn behind HAProxy, under load: no failed call, no lost message, no wave")
  .option("--restarts <n>", "restarts", number, 50)
  .option("--clients <n>", "clients with a socket", number, 50)
  .option("--drain <n>", "DRAIN_SECONDS of the processes", number, 5)
  .action(rolling);

program
  .command("start")
  .description("the time until the service is ready, with an empty data folder and with the same folder again")
  .option("--rounds <n>", "starts", number, 5)
  .action(start);

program
  .command("relay")
  .description("what the relay of the outbox delivers alone, and how late it is in a storm of gifts")
  .option("--connections <n>", "concurrent gifts in the storm", number, 32)
  .option("--seconds <n>", "duration of the storm", number, 15)
  .option("--events <n>", "gifts that the relay finds when it is measured alone", number, 20_000)
  .action(relay);

program
  .command("reads")
  .description(
    "GET /users/me, compared with a bare Express server that runs the same query; with and without the cache of verified tokens",
  )
  .option("--connections <n>", "concurrent requests", number, 16)
  .option("--seconds <n>", "duration of a run", number, 6)
  .option("--rounds <n>", "runs per server", number, 5)
  .action(reads);

program
  .command("catalogue")
  .description("the list and details of 1,000 top-ups, compared with a bare Express server that runs the same queries")
  .option("--connections <n>", "concurrent requests", number, 16)
  .option("--seconds <n>", "duration of a run", number, 3)
  .option("--rounds <n>", "runs per server", number, 9)
  .action(catalogue);

program
  .command("admin")
  .description("the dashboard and every list of the admin API on a million users; fails if one is slower than promised")
  .option("--rounds <n>", "calls of each page", number, 3)
  .option("--fresh", "seed the database again")
  .action(admin);

program
  .command("lists")
  .description("every list that users have, in a small and in a large database, with few and with many live rooms")
  .option("--rows <n>", "users, and rows of each other kind, in the large database", number, 1_000_000)
  .option("--live <n>", "live rooms there", number, 20_000)
  .option("--rounds <n>", "calls of each page", number, 15)
  .action(lists);

program
  .command("join-storm")
  .description("many clients join a room simultaneously, compared with a bare Socket.IO server; then they chat")
  .option("--clients <n>", "number of clients", number, 1000)
  .option("--rate <n>", "messages per second", number, 20)
  .option("--seconds <n>", "duration of the chat", number, 10)
  .option("--profile", "print where the time of the joins goes")
  .action(joinStorm);

program
  .command("idle")
  .description("connections that do nothing, compared with a bare Socket.IO server: memory, CPU; alone and in a room")
  .option("--clients <n>", "number of connections", number, 1000)
  .option("--seconds <n>", "duration of the measurement of CPU", number, 20)
  .option("--profile", "print where time and memory go")
  .action(idle);

program
  .command("rooms")
  .description(
    "many live rooms of two: their cost while idle, beside the same connections; joins; the time back after a kill",
  )
  .option("--rooms <n>", "number of rooms", number, 1000)
  .option("--seconds <n>", "duration of each measurement", number, 10)
  .option("--rate <n>", "joins per second into random rooms", number, 200)
  .option("--profile", "print where time and memory go")
  .action(rooms);

program
  .command("fairness")
  .description(
    "one account floods a room, and many give gifts in another; others' chat and direct messages beside an idle run",
  )
  .option("--seconds <n>", "duration of each run", number, 10)
  .option("--rounds <n>", "runs of each kind", number, 3)
  .action(fairness);

program
  .command("games")
  .description("concurrent games of memory over Socket.IO, played as fast as the rules allow")
  .option("--games <n>", "number of games", number, 500)
  .option("--seconds <n>", "duration of a round", number, 10)
  .option("--rounds <n>", "rounds", number, 3)
  .action(games);

program
  .command("game-secrets")
  .description(
    "play games of each type over all transports and search the traffic for hidden data; stops at the first leak",
  )
  .option("--games <n>", "games per type", number, 1000)
  .option("--tables <n>", "concurrent games", number, 25)
  .action(gameSecrets);

program
  .command("chaos")
  .description(
    "several processes, PostgreSQL, and Redis are killed, stopped, and cut off while clients use them; fails if anything acknowledged is lost",
  )
  .option("--kills <n>", "faults, until which none may be noticed", number, 100)
  .option("--seed <n>", "repeats the choices of a run", number)
  .option("--processes <n>", "processes of the service; two to four by default", number)
  .option("--rooms <n>", "rooms", number, 3)
  .option("--people <n>", "people in each room", number, 4)
  .option("--per-round <n>", "the most faults before everything is compared", number, 4)
  .option("--seconds <n>", "time in which the faults of a round begin", number, 3)
  .option("--longest <n>", "how long a fault lasts at most, seconds", number, 4)
  .option("--serves-within <n>", "every process must serve so soon after the last fault, seconds", number, 10)
  .option("--only <names>", "only these faults, separated by commas")
  .action(chaos);

program
  .command("bench")
  .description("all benchmarks in turn, and a table of their results beside the targets; takes about an hour")
  .option("--only <names>", "only these benchmarks, separated by commas")
  .action(bench);

await program.parseAsync();
process.exit();
