import type { Member, Room, Seat } from "#shared/contracts/views.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { checkAuditLog } from "#shared/domain/operations/admins/audit-chain.ts";
import { checkLedgerChain } from "#shared/domain/operations/admins/ledger-chain.ts";
import { rowKinds } from "./acts.ts";
import type { Entry, RowKind } from "./journal.ts";
import type { Person } from "./person.ts";
import type { Place, World } from "./world.ts";

/** Compares what clients were told with what is stored. Each function returns a sentence for each difference. */
type Rows = <Row extends object>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** The most differences of one kind that are listed. */
const listed = 5;

/** Every acknowledged row is there, and no other: nothing is lost, doubled, or stored though it was refused. */
export async function checkRows(world: World, rows: Rows): Promise<string[]> {
  const differences: string[] = [];
  for (const kind of Object.values<RowKind>(rowKinds)) {
    const entries = world.journal.entries.filter((entry) => entry.kind === kind && entry.id !== undefined);
    const stored = new Set((await rows<{ id: string | number }>(kind.sql)).map(({ id }) => String(id)));
    const known = new Map(entries.map((entry) => [entry.id!, entry.key]));
    const lost = entries.filter(({ id }) => !stored.has(id!));
    const unknown = [...stored].filter((id) => !known.has(id));
    const shared = entries.length - known.size;
    differences.push(
      ...lost.slice(0, listed).map(({ id, key, by }) => `Of the ${kind.name}, ${key} of ${by} (${id}) is lost.`),
      ...unknown.slice(0, listed).map((id) => `Of the ${kind.name}, ${id} was never acknowledged: doubled or refused.`),
      ...(shared > 0 ? [`Of the ${kind.name}, ${shared} were answered with another one.`] : []),
    );
  }
  return differences;
}

/** What one party sent one after the other, and was acknowledged at once, is stored in that order. */
export async function checkOrder(world: World, rows: Rows): Promise<string[]> {
  const inOrder = new Map<string, Entry[]>();
  for (const entry of world.journal.entries)
    if (entry.id !== undefined && entry.repeats === 0 && [rowKinds.chat, rowKinds.direct].includes(entry.kind as never))
      inOrder.set(entry.by, [...(inOrder.get(entry.by) ?? []), entry]);
  const differences = [...inOrder].flatMap(([by, entries]) =>
    entries
      .slice(1)
      .flatMap(({ id, key }, index) =>
        id! > entries[index]!.id! ? [] : [`${key} of ${by} is before the one before it.`],
      ),
  );
  const wrong = await rows<{ id: string }>(
    `SELECT id FROM (SELECT id, created_at, lag(created_at) OVER (PARTITION BY room_id ORDER BY id) AS before FROM room_messages) AS m
     WHERE created_at < before - interval '1 second' LIMIT ${listed}`,
  );
  return [...differences.slice(0, listed), ...wrong.map(({ id }) => `Message ${id} is after one with a later time.`)];
}

/** Each value that one party sets is one that it can have. */
export async function checkValues(world: World, rows: Rows): Promise<string[]> {
  const differences: string[] = [];
  for (const { name, register, sql, values } of world.stored) {
    const [row] = await rows<{ value: boolean }>(`SELECT ${sql} AS value`, values);
    if (!register.allows(row!.value)) differences.push(`${name} is ${row!.value}, not ${register.text}.`);
  }
  return differences;
}

/** The books add up, and no link of their chains is missing. */
export async function checkBooks(): Promise<string[]> {
  const [ledger, chain, audit] = [await checkLedger(), await checkLedgerChain(), await checkAuditLog()];
  return [...ledger.slice(0, listed), chain.difference, audit.difference].filter((one) => one !== undefined);
}

const seatText = (seats: readonly Seat[]) =>
  seats.map((seat) => `${seat.user?.id ?? "-"}${seat.locked ? " locked" : ""}${seat.muted ? " muted" : ""}`).join(", ");
const memberText = (members: Iterable<Member>) =>
  [...members]
    .map(({ user, role, connected }) => `${user.id} ${role}${connected ? "" : " away"}`)
    .sort()
    .join(", ");

/** Each client shows its room as the room is, though it only knows the events that it got and asked for. */
export async function checkViews(world: World, rows: Rows): Promise<string[]> {
  const found = await Promise.all(world.places.map((place) => checkPlace(place, rows)));
  return found.flat();
}

async function checkPlace({ id, people }: Place, rows: Rows): Promise<string[]> {
  const outcome = await people[0]!.call("get", `/rooms/${id}`);
  if (outcome.kind !== "done") return [`Room ${id} can't be read: ${outcome.code}.`];
  const room = outcome.data as Room;
  const stored = await rows<{ id: string }>("SELECT id FROM room_messages WHERE room_id = $1", [id]);
  const expected = people.map(({ account }) => account.id).sort();
  const there = room.members.map(({ user }) => user.id).sort();
  return [
    ...(expected.join() === there.join() ? [] : [`Room ${id} has the members ${there}, not ${expected}.`]),
    ...room.members.flatMap(({ user, connected }) => {
      const person = people.find(({ account }) => account.id === user.id);
      return connected ? [] : [`${person?.connectionText ?? user.id} isn't connected to room ${id}.`];
    }),
    ...people.flatMap((person) => checkView(person, room, stored)),
  ];
}

function checkView({ name, view }: Person, room: Room, stored: readonly { id: string }[]): string[] {
  const differences: string[] = [];
  if (seatText(view.seats) !== seatText(room.seats))
    differences.push(`${name} shows the seats ${seatText(view.seats)}; they are ${seatText(room.seats)}.`);
  if (memberText(view.members.values()) !== memberText(room.members))
    differences.push(`${name} shows ${memberText(view.members.values())}; there are ${memberText(room.members)}.`);
  const missing = stored.filter(({ id }) => id > view.verifiedId && !view.messages.has(id));
  const all = new Set(stored.map(({ id }) => id));
  const extra = [...view.messages.keys()].filter((id) => !all.has(id));
  if (missing.length > 0) differences.push(`${name} lacks ${missing.length} messages, such as ${missing[0]!.id}.`);
  if (extra.length > 0)
    differences.push(`${name} shows ${extra.length} messages that aren't stored, such as ${extra[0]}.`);
  return differences;
}
