import { Command } from "commander";
import { fanout } from "./fanout.ts";
import { gameSecrets } from "./game-secrets.ts";
import { games } from "./games.ts";
import { gift } from "./gift.ts";
import { joinStorm } from "./join-storm.ts";
import { reads } from "./reads.ts";

/**
 * Load scenarios and benchmarks. Each starts the service on a folder of its own, on this machine, and stops it; run them
 * by hand, on an idle machine. A figure is a ratio against a peer in the same run.
 */
const program = new Command("loadtest").description("Load scenarios and benchmarks of Hubbub.");

const number = (text: string) => {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${text} is no positive number`);
  return value;
};

program
  .command("fanout")
  .description("chat to a full room, beside a bare Socket.IO server that stores nothing")
  .option("--clients <n>", "people in the room", number, 300)
  .option("--rate <n>", "messages a second", number, 50)
  .option("--seconds <n>", "measured time of one run", number, 10)
  .option("--rounds <n>", "runs of each", number, 3)
  .action(fanout);

program
  .command("gift")
  .description("gifts by REST, beside the same statements by plain pg on the same database")
  .option("--connections <n>", "gifts under way at once", number, 32)
  .option("--seconds <n>", "measured time of one run", number, 8)
  .option("--rounds <n>", "runs of each", number, 3)
  .action(gift);

program
  .command("reads")
  .description("GET /users/me, beside a bare Express server that runs the same query on the same database")
  .option("--connections <n>", "calls under way at once", number, 16)
  .option("--seconds <n>", "measured time of one run", number, 6)
  .option("--rounds <n>", "runs of each", number, 5)
  .action(reads);

program
  .command("join-storm")
  .description("many clients join one room at the same moment")
  .option("--clients <n>", "how many", number, 300)
  .action(joinStorm);

program
  .command("games")
  .description("games of memory at once over Socket.IO, played as fast as their rules let them")
  .option("--games <n>", "how many", number, 500)
  .option("--seconds <n>", "measured time of one round", number, 10)
  .option("--rounds <n>", "rounds", number, 3)
  .action(games);

program
  .command("game-secrets")
  .description("games of each kind over every door, looked through for what they hide; ends with the first leak")
  .option("--games <n>", "games of each kind", number, 1000)
  .option("--tables <n>", "games at once", number, 25)
  .action(gameSecrets);

await program.parseAsync();
process.exit();
