import type { Lobby, Session } from "#shared/contracts/views/game-views.ts";
import { newId } from "#shared/kernel/ids.ts";
import type { RowKind } from "./journal.ts";
import type { Act, Person } from "./person.ts";
import type { World } from "./world.ts";

/** Where two people of a room play one game after the other. */
export interface Table {
  readonly players: readonly Person[];
  /** The game that they play; undefined until it has begun. */
  sessionId?: string;
}

/** The actions of all games that are known to be taken; a game remembers the last ones of each player. */
export const moveKind: RowKind = {
  name: "game actions",
  sql: `SELECT s.id AS game, p.key AS player, p.value AS ids FROM game_sessions s, jsonb_each(s.state->'actionIds') p`,
};
const rememberedMax = 16;

/** Begins a new game at each table whose game is over. Called when every process serves. */
export async function beginGames(world: World): Promise<void> {
  await Promise.all(world.places.map(({ table }) => beginGame(table)));
}

async function beginGame(table: Table): Promise<void> {
  const [host, guest] = table.players;
  if (table.sessionId) {
    const seen = await host!.call("get", `/games/sessions/${table.sessionId}`);
    if (seen.kind !== "done" || (seen.data as Session).status === "active") return;
  }
  const made = await host!.call("post", "/games/lobbies", { type: "snakes_and_ladders" });
  if (made.kind !== "done") return;
  const { id } = made.data as Lobby;
  const step = (person: Person, name: string) => person.call("post", `/games/lobbies/${id}/${name}`, {});
  await step(guest!, "join");
  await step(guest!, "ready");
  const started = await step(host!, "start");
  if (started.kind === "done") table.sessionId = (started.data as Lobby).session_id!;
}

const nameOf = (person: Person, sessionId: string) => `${person.account.id} in ${sessionId}`;

/** Rolls the die, if it is the person's turn. */
async function roll(person: Person, world: World): Promise<void> {
  const { table } = world.placeOf(person);
  const { sessionId } = table;
  if (!sessionId || !table.players.includes(person)) return;
  const seen = await person.call("get", `/games/sessions/${sessionId}`);
  if (seen.kind !== "done" || (seen.data as Session).turn?.user_id !== person.account.id) return;
  const key = newId();
  await world.journal.write({ kind: moveKind, key, by: nameOf(person, sessionId) }, async () => {
    const outcome = await person.call("post", `/games/sessions/${sessionId}/action`, { kind: "roll", action_id: key });
    return outcome.kind === "done" ? { kind: "done", data: { id: key } } : outcome;
  });
}

/** What players do. */
export const tableActs: readonly Act[] = [{ name: "roll", weight: 3, run: roll }];

type Rows = <Row extends object>(sql: string) => Promise<Row[]>;

/**
 * Each action that was acknowledged was taken once, in order unless it was repeated later, and none that was refused.
 */
export async function checkGames({ journal }: World, rows: Rows): Promise<string[]> {
  const stored = await rows<{ game: string; player: string; ids: string[] }>(moveKind.sql);
  const moves = Map.groupBy(
    journal.entries.filter(({ kind, id }) => kind === moveKind && id !== undefined),
    ({ by }) => by,
  );
  return stored.flatMap(({ game, player, ids }) => {
    const acknowledged = moves.get(`${player} in ${game}`) ?? [];
    const known = new Set(acknowledged.map(({ key }) => key));
    const isWhole = ids.every((id) => known.has(id)) && new Set(ids).size === Math.min(known.size, rememberedMax);
    const atOnce = acknowledged.filter(({ key, repeats }) => repeats === 0 && ids.includes(key)).map(({ key }) => key);
    const isOrdered = atOnce.join() === ids.filter((id) => atOnce.includes(id)).join();
    return isWhole && isOrdered ? [] : [`In game ${game}, ${player} took ${ids}, not ${[...known]}.`];
  });
}
