import type { Benchmark } from "./benchmarks.ts";

/** Those of gifts, purchases, the ledger, and runs. */
export const moneyBenchmarks: readonly Benchmark[] = [
  {
    name: "gift",
    description: "gifts over REST with all that follows from them, compared with a naive transaction of the same rows",
    options: [
      ["--connections <n>", "concurrent gifts", 32],
      ["--recipients <n>", "how many get the gifts; by default, as many as senders"],
      ["--seconds <n>", "duration of a run", 8],
      ["--rounds <n>", "runs per server", 5],
      ["--earnings", "also under a split plan that pays earnings"],
    ],
    load: async () => (await import("./gift.ts")).gift,
  },
  {
    name: "gift-months",
    description: "gifts over REST among those of 24 months and their ledger entries, divided by month, compared",
    options: [
      ["--gifts <n>", "gifts of the months", 10_000_000],
      ["--against <kind>", "with a database without them, or one that has them undivided", ["empty", "undivided"]],
      ["--connections <n>", "concurrent gifts", 32],
      ["--seconds <n>", "duration of a run", 8],
      ["--rounds <n>", "runs of each", 5],
    ],
    load: async () => (await import("./gift-months.ts")).giftMonths,
  },
  {
    name: "purchases",
    description:
      "purchases at Apple, Google, and Stripe, presented or by notices, beside gifts; and how late refunds are in the ledger",
    options: [
      ["--connections <n>", "concurrent calls", 32],
      ["--purchases <n>", "purchases of each kind and round", 500],
      ["--seconds <n>", "duration of the gifts", 5],
      ["--rounds <n>", "runs", 3],
    ],
    load: async () => (await import("./purchases.ts")).purchases,
  },
  {
    name: "ledger",
    description:
      "random movements of coins amid kills, recounted at the end; and transfers alone, compared with a naive gift",
    options: [
      ["--movements <n>", "acknowledged movements", 100_000],
      ["--connections <n>", "concurrent movements", 32],
      ["--kills <n>", "kills, of the process and of PostgreSQL in turn", 10],
      ["--seconds <n>", "duration of a run of transfers alone", 5],
      ["--rounds <n>", "runs of transfers alone", 3],
    ],
    load: async () => (await import("./ledger.ts")).ledger,
  },
  {
    name: "settle",
    description: "a run that settles a month of many hosts and gifts while other gifts go on; fails if it is too slow",
    options: [
      ["--hosts <n>", "hosts with a contract", 100_000],
      ["--gifts <n>", "gifts of the month", 10_000_000],
      ["--rate <n>", "gifts per second meanwhile", 100],
      ["--seconds <n>", "duration of the gifts that are measured first, alone", 60],
      ["--fresh", "seed the database again"],
    ],
    load: async () => (await import("./settle.ts")).settle,
  },
];
