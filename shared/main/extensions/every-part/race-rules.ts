import { illegal, placesByScore, type RulesOf, rollDie } from "#shared/extension/game.ts";
import type { race } from "./race.ts";

/** Fills the memory. */
function hoard(): never {
  const all: unknown[] = [];
  for (;;) all.push(Array(1000).fill(all.length));
}

function loop(): never {
  for (;;);
}

export default {
  setup: (players, { nowMs }) => ({
    runners: players.map((userId) => ({ userId, square: 0 })),
    ...{ next: 0, secret: "tea", deadlineMs: nowMs + 20_000, winner: null },
  }),
  turn: ({ deadlineMs, runners, next }) => (deadlineMs === null ? null : runners[next]!.userId),
  legal: ({ deadlineMs, runners, next }, userId) =>
    deadlineMs !== null && runners[next]!.userId === userId ? [{ kind: "every_part_run", how: "well" }] : [],
  deadlineMs: ({ deadlineMs }) => deadlineMs,
  rules: {
    every_part_run: (state, userId, { how }, { random, nowMs }) => {
      if (how === "badly") throw illegal("Run well.");
      if (how === "for ever") loop();
      if (how === "to all") hoard();
      const roll = how === "past the end" ? 100 : rollDie(random);
      const runners = state.runners.map((one) => (one.userId === userId ? { userId, square: one.square + roll } : one));
      const isWon = runners.some((one) => one.square > 10);
      const winner = how === "as a stranger" ? "0193d2f4-7c1e-7d3a-9b52-3f6f0c1d2e4a" : null;
      return { ...state, runners, winner, next: 1 - state.next, deadlineMs: isWon ? null : nowMs + 20_000 };
    },
  },
  timeout: (state, { nowMs }) => ({ ...state, next: 1 - state.next, deadlineMs: nowMs + 20_000 }),
  view: {
    board: ({ runners }) => ({ runners: runners.map(({ userId, square }) => ({ user_id: userId, square })) }),
    you: ({ secret, runners }, userId) => ({ secret: runners[0]!.userId === userId ? secret : null }),
  },
  end: ({ runners, winner, deadlineMs }) =>
    winner
      ? [{ userId: winner, score: 1_000_000, place: 1 }]
      : placesByScore(
          runners.map(({ userId, square }) => ({ userId, score: square })),
          deadlineMs === null,
        ),
} satisfies RulesOf<typeof race>;
