import { heldKind, sayHeld, unheld } from "./held.ts";
import type { Entry, Outcome, RowKind } from "./journal.ts";
import type { Act, Person } from "./person.ts";
import { playActs } from "./plays.ts";
import { saleActs, saleKinds } from "./shop.ts";
import { storeActs } from "./stores.ts";
import { tableActs } from "./table.ts";
import { uploadActs } from "./uploads.ts";
import type { World } from "./world.ts";

/** The rows that acts write, each call exactly one. */
export const rowKinds = {
  chat: { name: "chat messages", sql: unheld },
  gift: { name: "gifts", sql: "SELECT id FROM gift_transactions" },
  direct: { name: "direct messages", sql: "SELECT id FROM direct_messages" },
  adjustment: { name: "balance adjustments", sql: "SELECT id FROM balance_adjustments" },
  held: heldKind,
  ...saleKinds,
} as const satisfies Record<string, RowKind>;

/** Picks another person of the same room. */
export function peerOf(person: Person, world: World): Person {
  return person.dice.pick(world.placeOf(person).people.filter((other) => other !== person));
}

/** Sends a chat message over the person's connection. */
export function say(person: Person, world: World): Promise<Entry> {
  if (world.placeOf(person).isJudged) return sayHeld(person, world);
  const key = world.newKey();
  return world.journal.write({ kind: rowKinds.chat, key, by: `${person.name} in chat` }, async () => {
    await person.arrive();
    return person.ask("room:message", { body: key, client_id: key });
  });
}

function give(person: Person, world: World): Promise<Entry> {
  const key = world.newKey();
  const body = { gift_id: world.goods.giftId, recipient_id: peerOf(person, world).account.id, quantity: 1 };
  return world.journal.write({ kind: rowKinds.gift, key, by: `${person.name} with gifts` }, () =>
    person.call("post", `/rooms/${person.roomId}/gifts`, body, { "idempotency-key": key }),
  );
}

function write(person: Person, world: World): Promise<Entry> {
  const key = world.newKey();
  const conversation = world.placeOf(person).conversations.get(person)!.get(peerOf(person, world))!;
  return world.journal.write({ kind: rowKinds.direct, key, by: `${person.name} in ${conversation}` }, () =>
    person.call("post", `/conversations/${conversation}/messages`, { body: key, client_id: key }),
  );
}

function adjust(person: Person, world: World): Promise<Entry> {
  const key = world.newKey();
  const options = {
    token: world.adminToken,
    body: { amount: 10, reason: key },
    headers: { "idempotency-key": key },
  };
  return world.journal.write({ kind: rowKinds.adjustment, key, by: "the administrator" }, () =>
    world.call(
      person.dice.pick(world.cluster.nodes),
      "post",
      `/admin/users/${person.account.id}/adjust-balance`,
      options,
    ),
  );
}

/** Follows or unfollows another person of the room. */
async function follow(person: Person, world: World): Promise<void> {
  const peer = peerOf(person, world);
  const register = person.follows.get(peer.account.id)!;
  const value = person.dice.chance(0.5);
  await register.set(value, () => person.call(value ? "post" : "delete", `/users/${peer.account.id}/follow`));
}

/** The host locks or unlocks the last seat. */
async function lock(person: Person): Promise<void> {
  const value = person.dice.chance(0.5);
  await person.lastSeatLocked?.set(value, () => person.ask("seat:lock", { seat_no: lastSeat, locked: value }));
}
/** Far from the seats that requests get. */
export const lastSeat = 16;

/** Requests a seat, or leaves it. */
async function sitOrStand(person: Person): Promise<void> {
  if (person.seat.known === true) await person.seat.set(false, () => person.ask("seat:leave"));
  else if (person.seat.known === false) await person.ask("seat:request");
}

/** The host approves all requests. */
async function approve(person: Person, world: World): Promise<void> {
  const requests = await person.call("get", `/rooms/${person.roomId}/seat-requests`);
  if (requests.kind !== "done") return;
  for (const { id, user } of requests.data as { id: string; user: { id: string } }[]) {
    const requester = world.people.find(({ account }) => account.id === user.id)!;
    await requester.seat.set(true, () => approveOne(person, id));
  }
}

const approveOne = (person: Person, id: string): Promise<Outcome> =>
  person.call("post", `/rooms/${person.roomId}/seat-requests/${id}/approve`);

/** What everyone does. */
export const guestActs: readonly Act[] = [
  { name: "say", weight: 8, run: say },
  { name: "give", weight: 3, run: give },
  { name: "write", weight: 3, run: write },
  { name: "follow", weight: 2, run: follow },
  { name: "sit or stand", weight: 2, run: sitOrStand },
  { name: "adjust", weight: 1, run: adjust },
  ...saleActs,
  ...storeActs,
  ...uploadActs,
  ...tableActs,
  ...playActs(give),
];

/** What hosts do in addition. */
export const hostActs: readonly Act[] = [
  { name: "say", weight: 8, run: say },
  { name: "give", weight: 3, run: give },
  { name: "approve", weight: 5, run: approve },
  { name: "lock", weight: 3, run: lock },
  ...tableActs,
  ...playActs(give),
];
