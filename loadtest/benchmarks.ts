import { moneyBenchmarks } from "./money-benchmarks.ts";

export interface Benchmark {
  readonly name: string;
  readonly description: string;
  /**
   * Flags and description; with a default, the value is a number, or one of several words, of which the first is the
   * default.
   */
  readonly options: readonly (readonly [string, string] | readonly [string, string, number | readonly string[]])[];
  /** Only what runs is loaded. */
  readonly load: () => Promise<(options: never) => Promise<void>>;
}

const chatOptions: Benchmark["options"] = [
  ["--clients <n>", "clients in the room", 300],
  ["--rate <n>", "messages per second", 50],
  ["--seconds <n>", "duration of a run", 10],
  ["--rounds <n>", "runs per server", 5],
  ["--door <door>", "how clients connect", ["socket", "colyseus"]],
];

export const benchmarks: readonly Benchmark[] = [
  {
    name: "fanout",
    description: "chat in a full room, compared with a bare server of the same transport that stores nothing",
    options: chatOptions,
    load: async () => (await import("./fanout.ts")).fanout,
  },
  {
    name: "fanout-many",
    description: "chat in a full room whose members are connected to several processes, compared with one process",
    options: [...chatOptions, ["--processes <n>", "processes", 4]],
    load: async () => (await import("./fanout.ts")).fanoutOverMany,
  },
  {
    name: "crowd",
    description: "one room with very many listeners over several processes, beside bare servers of the same transport",
    options: [
      ["--listeners <n>", "listeners", 2000],
      ["--processes <n>", "processes", 4],
      ["--generators <n>", "processes of the load generator", 2],
      ["--rate <n>", "messages per second at first; doubled until they come too late", 0.5],
      ["--seconds <n>", "duration of a run", 20],
    ],
    load: async () => (await import("./crowd.ts")).crowd,
  },
  {
    name: "bus",
    description: "what pushes cost: messages to 25 people beside more and more processes, and a process beside others",
    options: [
      ["--rate <n>", "messages per second", 160],
      ["--events <n>", "events of others per second", 5000],
      ["--seconds <n>", "duration of a turn", 5],
      ["--rounds <n>", "turns of each service", 40],
    ],
    load: async () => (await import("./bus.ts")).bus,
  },
  {
    name: "fanout-rules",
    description: "chat in a full room with 5,000 words of rules about what people write, compared with none",
    options: chatOptions,
    load: async () => (await import("./fanout.ts")).fanoutWithRules,
  },
  {
    name: "events",
    description: "the event log written to files and to NATS JetStream by one process",
    options: [["--events <n>", "events in the log", 100_000]],
    load: async () => (await import("./events.ts")).events,
  },
  {
    name: "hooks",
    description: "what hooks cost an operation: none, and one in the process",
    options: [
      ["--calls <n>", "calls of a run", 50_000],
      ["--rounds <n>", "runs of each kind", 15],
    ],
    load: async () => (await import("./hooks.ts")).hooks,
  },
  ...moneyBenchmarks,
  {
    name: "divide",
    description: "how long others wait while a large table is divided by month; fails if it is too long",
    options: [
      ["--rows <n>", "direct messages", 20_000_000],
      ["--rate <n>", "messages that are sent per second meanwhile", 100],
    ],
    load: async () => (await import("./divide.ts")).divide,
  },
  {
    name: "start",
    description: "the time until the service is ready, with an empty data folder and with the same folder again",
    options: [["--rounds <n>", "starts", 5]],
    load: async () => (await import("./start.ts")).start,
  },
  {
    name: "relay",
    description: "what the relay of the outbox delivers alone, and how late it is in a storm of gifts",
    options: [
      ["--connections <n>", "concurrent gifts in the storm", 32],
      ["--seconds <n>", "duration of the storm", 15],
      ["--events <n>", "gifts that the relay finds when it is measured alone", 20_000],
    ],
    load: async () => (await import("./relay.ts")).relay,
  },
  {
    name: "relay-many",
    description: "what the relays of several processes deliver together, and what a gift costs them, compared with one",
    options: [
      ["--events <n>", "gifts that the relays find", 20_000],
      ["--rounds <n>", "runs for each number of processes", 3],
    ],
    load: async () => (await import("./relay-many.ts")).relayOverMany,
  },
  {
    name: "reads",
    description:
      "GET /users/me, compared with a bare Express server that runs the same query; with and without the cache of verified tokens",
    options: [
      ["--connections <n>", "concurrent requests", 16],
      ["--seconds <n>", "duration of a run", 6],
      ["--rounds <n>", "runs per server", 5],
    ],
    load: async () => (await import("./reads.ts")).reads,
  },
  {
    name: "logins",
    description: "logins per second, what a refused one costs, and how long others' calls take meanwhile",
    options: [
      ["--seconds <n>", "duration of a run", 6],
      ["--rounds <n>", "runs of each load", 3],
      [
        "--way <way>",
        "with google: logins by ID token, compared with a bare Express server with jose",
        ["password", "google"],
      ],
    ],
    load: async () => (await import("./logins.ts")).logins,
  },
  {
    name: "media",
    description: "how long a picture of 2 MB takes until it is ready, and what ten at once do to others' calls",
    options: [["--rounds <n>", "runs", 5]],
    load: async () => (await import("./media.ts")).media,
  },
  {
    name: "reactions",
    description: "reactions to messages in a full room, compared with chat there",
    options: [
      ["--clients <n>", "clients in the room", 300],
      ["--rate <n>", "reactions per second", 500],
      ["--seconds <n>", "duration of a run", 10],
      ["--rounds <n>", "runs", 3],
    ],
    load: async () => (await import("./message-reactions.ts")).messageReactions,
  },
  {
    name: "filter",
    description:
      "what a check of a message by rules costs, how many disguised words it finds, of the starting lists, too, and how many clean sentences, which are fetched from Debian",
    options: [
      ["--words <n>", "words of the rule", 5000],
      ["--disguises <n>", "disguised words of each list", 10_000],
      ["--sentences <n>", "clean sentences", 50_000],
      ["--rounds <n>", "runs", 5],
    ],
    load: async () => (await import("./filter.ts")).filter,
  },
  {
    name: "catalogue",
    description:
      "the list and details of 1,000 top-ups, compared with a bare Express server that runs the same queries",
    options: [
      ["--connections <n>", "concurrent requests", 16],
      ["--seconds <n>", "duration of a run", 3],
      ["--rounds <n>", "runs per server", 9],
    ],
    load: async () => (await import("./catalogue.ts")).catalogue,
  },
  {
    name: "admin",
    description:
      "the dashboard and every list of the admin API on a million users; fails if one is slower than promised",
    options: [
      ["--rounds <n>", "calls of each page", 3],
      ["--fresh", "seed the database again"],
    ],
    load: async () => (await import("./admin.ts")).admin,
  },
  {
    name: "lists",
    description: "every list that users have, in a small and in a large database, with few and with many live rooms",
    options: [
      ["--rows <n>", "users, and rows of each other kind, in the large database", 1_000_000],
      ["--live <n>", "live rooms there", 20_000],
      ["--rounds <n>", "calls of each page", 15],
      ["--fresh", "seed the databases again"],
    ],
    load: async () => (await import("./lists.ts")).lists,
  },
  {
    name: "join-storm",
    description: "many clients join a room simultaneously, compared with a bare Socket.IO server; then they chat",
    options: [
      ["--clients <n>", "number of clients", 1000],
      ["--rate <n>", "messages per second", 20],
      ["--seconds <n>", "duration of the chat", 10],
      ["--profile", "print where the time of the joins goes"],
    ],
    load: async () => (await import("./join-storm.ts")).joinStorm,
  },
  {
    name: "idle",
    description: "connections that do nothing, compared with a bare Socket.IO server: memory, CPU; alone and in a room",
    options: [
      ["--clients <n>", "number of connections", 2000],
      ["--profile", "print where time goes, and what a connection holds"],
    ],
    load: async () => (await import("./idle.ts")).idle,
  },
  {
    name: "rooms",
    description:
      "many live rooms of two: their cost while idle, beside the same connections; joins; the time back after a kill",
    options: [
      ["--rooms <n>", "number of rooms", 1000],
      ["--seconds <n>", "duration of each measurement", 10],
      ["--rate <n>", "joins per second into random rooms", 200],
      ["--profile", "print where time and memory go"],
    ],
    load: async () => (await import("./rooms.ts")).rooms,
  },
  {
    name: "fairness",
    description:
      "one account floods a room, and many give gifts in another; others' chat and direct messages beside an idle run",
    options: [
      ["--seconds <n>", "duration of each run", 10],
      ["--rounds <n>", "runs of each kind", 3],
    ],
    load: async () => (await import("./fairness.ts")).fairness,
  },
  {
    name: "games",
    description: "concurrent games of memory over Socket.IO, played as fast as the rules allow",
    options: [
      ["--games <n>", "number of games", 500],
      ["--seconds <n>", "duration of a round", 10],
      ["--rounds <n>", "rounds", 3],
    ],
    load: async () => (await import("./games.ts")).games,
  },
  {
    name: "game-secrets",
    description:
      "play games of each type over all transports and search the traffic for hidden data; stops at the first leak",
    options: [
      ["--games <n>", "games per type", 1000],
      ["--tables <n>", "concurrent games", 25],
    ],
    load: async () => (await import("./game-secrets.ts")).gameSecrets,
  },
];
