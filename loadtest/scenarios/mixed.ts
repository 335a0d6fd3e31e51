import { OperatorError } from "#shared/kernel/operator-error.ts";
import { Dice } from "../chaos/dice.ts";
import type { Person } from "../tool/people.ts";
import type { Door, Found, Play, Scenario } from "../tool/scenario.ts";
import type { Mix, Stage } from "../tool/stage.ts";
import { browse } from "./browse.ts";
import { catalogue } from "./catalogue.ts";
import { dm } from "./dm.ts";
import { feed } from "./feed.ts";
import { games } from "./games.ts";
import { giftStorm } from "./gift-storm.ts";
import { joinAndTalk } from "./join-and-talk.ts";
import { joinStorm } from "./join-storm.ts";
import { reconnectWave } from "./reconnect-wave.ts";
import { workloadScenarios } from "./workloads.ts";

/** Returns what a day is made of, by the names of their commands. Extensions add theirs. */
export const parts = (): Readonly<Record<string, Scenario>> => ({
  "join-and-talk": joinAndTalk,
  "gift-storm": giftStorm,
  "reconnect-wave": reconnectWave,
  "join-storm": joinStorm,
  browse,
  dm,
  games,
  feed,
  catalogue,
  ...workloadScenarios(),
});

/** A quiet night, a busy evening. */
export const defaultMix: Mix = {
  weights: {
    browse: 40,
    "join-and-talk": 25,
    feed: 12,
    dm: 10,
    "gift-storm": 5,
    games: 4,
    "join-storm": 3,
    "reconnect-wave": 1,
  },
  day: [0.2, 0.4, 0.6, 0.7, 1, 0.6],
};

/** Everyone has one part, so that no part moves another's people to another room. */
interface Part {
  readonly name: string;
  readonly weight: number;
  readonly people: readonly Person[];
  readonly scene: unknown;
}

/** Shares out the people, as many to each part as it has weight, but two for each worker at least. */
function castOf({ mix, workers }: Stage, people: readonly Person[]): Omit<Part, "scene">[] {
  const weights = Object.entries(mix.weights).filter(([, weight]) => weight > 0);
  const unknown = weights.find(([name]) => !parts()[name]);
  if (unknown)
    throw new OperatorError(`There is no scenario ${unknown[0]}. Known: ${Object.keys(parts()).join(", ")}.`);
  const least = 2 * workers;
  const spare = people.length - least * weights.length;
  if (weights.length === 0 || spare < 0)
    throw new OperatorError(
      `${weights.length} scenarios on ${workers} workers need ${least * weights.length} clients.`,
    );
  const all = weights.reduce((sum, [, weight]) => sum + weight, 0);
  let from = 0;
  return weights.map(([name, weight]) => {
    const to = from + least + 2 * Math.floor((spare * weight) / all / 2);
    const part = { name, weight, people: people.slice(from, to) };
    from = to;
    return part;
  });
}

const doorOf = (scenario: Scenario, door: Door): Door => (scenario.doors.includes(door) ? door : scenario.doors[0]);

export const mixed: Scenario = {
  description: "a day in miniature: all of them at once, with weights and hours from a file (--mix)",
  doors: ["socket", "colyseus"],
  clients: 100,
  rate: 50,
  rooms: 2,
  prepare: async (stage, people) => {
    const cast: Part[] = [];
    for (const part of castOf(stage, people))
      cast.push({ ...part, scene: await parts()[part.name]!.prepare?.(stage, part.people) });
    return cast;
  },
  open: async (crew, cast: readonly Part[]) => {
    const plays: { weight: number; play: Play }[] = [];
    for (const { name, weight, people, scene } of cast) {
      const scenario = parts()[name]!;
      const play = await scenario.open(crew.part(people, doorOf(scenario, crew.options.door)), scene as never);
      plays.push({ weight, play });
    }
    return {
      act: (arrival) => new Dice(crew.options.seed + arrival.number).weighted(plays).play.act(arrival),
      notes: () => Promise.all(plays.map(({ play }) => play.notes?.() ?? null)),
      finish: (notes: readonly never[][]) =>
        Promise.all(plays.map(({ play }, index) => play.finish?.(notes.map((each) => each[index]!)) ?? null)),
      close: () => {
        for (const { play } of plays) play.close();
      },
    };
  },
  check: async (stage, _people, { scene, notes, evidence }) => {
    const found = (scene as readonly Part[]).map(({ name, people, scene: own }, index) => {
      const of = (all: readonly never[]) => (all as readonly never[][]).map((each) => each[index]!);
      const part: Found = { scene: own as never, notes: of(notes), evidence: of(evidence) };
      return parts()[name]!.check?.(stage, people, part) ?? [];
    });
    return (await Promise.all(found)).flat();
  },
};
