import { setTimeout as pause } from "node:timers/promises";
import type { LiveGame, SessionOf } from "#shared/client/client.ts";
import { mapConcurrently } from "../game-tables.ts";
import { type Crew, codeOf, type Member } from "../tool/crew.ts";
import type { Arrival, Play, Scenario } from "../tool/scenario.ts";
import { now } from "../tool/times.ts";

const lateMs = 10_000;

/** Two who play memory, one game after the other. */
class Table {
  readonly #crew: Crew;
  readonly #pair: readonly [Member, Member];
  #games: LiveGame<"memory">[] = [];
  #isBusy = true;
  /** When the last action was due, and the version that it led to. */
  #last = { dueMs: 0, version: Number.POSITIVE_INFINITY };

  constructor(crew: Crew, pair: readonly [Member, Member]) {
    this.#crew = crew;
    this.#pair = pair;
  }

  /** Starts a game. */
  async begin(): Promise<void> {
    const [host, guest] = this.#pair;
    const lobby = await host.client.games.create({ type: "memory" });
    const other = await guest.client.games.lobby(lobby.id);
    await other.join();
    await other.ready();
    const { session_id } = await lobby.start();
    for (const game of this.#games) game.close();
    for (const live of [lobby, other]) live.close();
    this.#games = await Promise.all(this.#pair.map(({ client }) => client.games.open<"memory">(session_id!)));
    for (const [index, game] of this.#games.entries()) game.on("change", (state) => this.#seen(index, state));
    this.#isBusy = false;
  }

  get #state(): SessionOf<"memory"> {
    return this.#games.reduce((newest, one) => (one.state.version > newest.state.version ? one : newest)).state;
  }

  get isReady(): boolean {
    return !this.#isBusy && this.#state.turn !== null;
  }

  /** Flips a random card for whose turn it is. */
  async flip({ dueMs }: Arrival): Promise<void> {
    this.#isBusy = true;
    const { turn, board } = this.#state;
    const closed = board.cards.filter(({ state }) => state === "closed");
    const { card } = this.#crew.dice.pick(closed);
    const index = this.#pair.findIndex(({ id }) => id === turn?.user_id);
    const acting = this.#crew.measure("flip", dueMs, () => this.#games[index]!.act({ kind: "flip", card }));
    const { data } = await acting;
    if (data) this.#last = { dueMs, version: data.version };
    if (data && this.#games[1 - index]!.state.version >= data.version) this.#seen(1 - index, data);
    this.#isBusy = false;
    if (data && data.status !== "active") await this.#again();
  }

  async #again(): Promise<void> {
    this.#isBusy = true;
    await this.begin().catch((error: unknown) => this.#crew.tally.failed("new game", now(), codeOf(error)));
  }

  /** Counts when the other player has seen the last action. */
  #seen(_index: number, { version }: SessionOf<"memory">): void {
    if (version < this.#last.version || this.#games.some(({ state }) => state.version < this.#last.version)) return;
    this.#crew.tally.succeeded("flip:see", this.#last.dueMs, now() - this.#last.dueMs);
    this.#last = { dueMs: 0, version: Number.POSITIVE_INFINITY };
  }

  /** Waits until both players see what the service has. Returns what is wrong otherwise. */
  async settled(): Promise<string | undefined> {
    const [game] = this.#games;
    if (!game) return undefined;
    for (const givenUpMs = now() + lateMs; ; await pause(100)) {
      const stored = await this.#pair[0].client.request("getGameSession", { params: { id: game.id } });
      const seen = this.#games.map(({ state }) => state.version);
      if (seen.every((version) => version === stored.version)) return undefined;
      if (now() > givenUpMs)
        return `Game ${game.id} has version ${stored.version}, but its players see ${seen.join(" and ")}`;
    }
  }
}

export const games: Scenario = {
  description: "games of memory, two players each: both see what the service has",
  doors: ["socket"],
  clients: 40,
  rate: 10,
  rooms: 1,
  open: async (crew): Promise<Play> => {
    await crew.connect();
    const pairs = Array.from({ length: Math.floor(crew.members.length / 2) }, (_, index) => index * 2);
    const tables = pairs.map((at) => new Table(crew, [crew.members[at]!, crew.members[at + 1]!]));
    await mapConcurrently(tables, 8, (table) => table.begin());
    let next = 0;
    return {
      act: async (arrival) => {
        for (let tried = 0; tried < tables.length; tried += 1) {
          const table = tables[next++ % tables.length]!;
          if (table.isReady) return table.flip(arrival);
        }
        // Two cards stay face up for two seconds: the rate is too high for so many tables.
        return crew.tally.failed("flip", arrival.dueMs, "NO_TABLE_READY");
      },
      finish: async () => {
        const wrong = await mapConcurrently(tables, 8, (table) => table.settled());
        for (const violation of wrong) if (violation) crew.violation(violation);
      },
      close: () => crew.disconnect(),
    };
  },
};
