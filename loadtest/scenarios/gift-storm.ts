import type { Call, GiftTransaction } from "#shared/client/client.ts";
import { newKey } from "#shared/client/timing.ts";
import { mapConcurrently } from "../game-tables.ts";
import { type Crew, isUnknown, type Member } from "../tool/crew.ts";
import type { Person } from "../tool/people.ts";
import type { Play, Scenario } from "../tool/scenario.ts";
import { openRooms, type Stage } from "../tool/stage.ts";
import { buyCoins, cheapestGift } from "./coins.ts";

interface Scene {
  readonly roomIds: readonly string[];
  readonly giftId: string;
  /** What a gift costs the sender, and what the recipient gets of it. */
  readonly price: number;
  readonly credit: number;
  /** Coins before the load, by user. */
  readonly balances: Readonly<Record<string, number>>;
}

/** The sender and the recipient of each gift. */
type Given = readonly (readonly [from: string, to: string])[];

const resolvedWithinMs = 30_000;

export const giftStorm: Scenario = {
  description: "people in rooms give each other gifts over REST: all coins add up at the end",
  doors: ["socket", "colyseus"],
  clients: 40,
  rate: 40,
  rooms: 2,
  prepare: async (stage, people) => {
    const roomIds = await openRooms(stage, people);
    const clients = people.map((person) => stage.client(person));
    const gift = await cheapestGift(clients[0]!);
    const coins = Math.ceil((stage.arrivals / Math.max(1, people.length / 2)) * 1.2 + 2) * gift.price;
    await mapConcurrently([...clients.entries()], 4, ([index, client]) =>
      buyCoins(stage, client, index % 2 ? 0 : coins),
    );
    const credit = await creditOf(stage, people, { roomId: roomIds[0]!, giftId: gift.id });
    const balances = await balancesOf(stage, people);
    return { roomIds, giftId: gift.id, price: gift.price, credit, balances } satisfies Scene;
  },
  open: async (crew, scene: Scene) => {
    await crew.connect();
    await mapConcurrently(crew.members, 20, ({ client, number }) => client.rooms.join(roomOf(scene, number)));
    return give(crew, scene);
  },
  check: async (stage, people, { scene, notes }) => {
    const { balances, price, credit } = scene as Scene;
    const given = (notes as readonly Given[]).flat();
    const after = await balancesOf(stage, people);
    return people.flatMap(({ id, name }) => {
      const sent = given.filter(([from]) => from === id).length;
      const got = given.filter(([, to]) => to === id).length;
      const expected = balances[id]! - sent * price + got * credit;
      if (after[id] === expected) return [];
      return `${name} had ${balances[id]} coins, gave ${sent} gifts of ${price} and got ${got} (${credit} coins each): ${expected} expected, ${after[id]} found`;
    });
  },
};

/** Two neighbours are in one room. */
const roomOf = ({ roomIds }: Scene, number: number): string => roomIds[Math.floor(number / 2) % roomIds.length]!;

function give(crew: Crew, scene: Scene): Play {
  const given: (readonly [string, string])[] = [];
  const open: { from: Member; to: Member; key: string }[] = [];
  const senders = crew.members.filter((_, index) => index % 2 === 0);
  const send = ({ from, to, key }: { from: Member; to: Member; key: string }): Call<GiftTransaction> =>
    from.client.gifts.send(
      roomOf(scene, from.number),
      { gift_id: scene.giftId, recipient_id: to.id, quantity: 1 },
      key,
    );
  let next = 0;
  return {
    act: async ({ dueMs }) => {
      const from = senders[next++ % senders.length]!;
      const gift = { from, to: crew.members[crew.members.indexOf(from) + 1]!, key: newKey() };
      const { error } = await crew.measure("gift", dueMs, () => send(gift));
      if (!error) given.push([from.id, gift.to.id]);
      else if (isUnknown(error.code)) open.push(gift);
    },
    // The key tells what became of those without an answer.
    notes: async () => {
      for (const gift of open.splice(0)) {
        const answered = await untilAnswered(() => send(gift));
        if (answered === undefined) crew.violation(`A gift of ${gift.from.name} got no answer, and no other after it`);
        if (answered) given.push([gift.from.id, gift.to.id]);
      }
      return given;
    },
    close: () => crew.disconnect(),
  };
}

/** Repeats a call until it is known whether it had its effect; undefined if that isn't known in time. */
async function untilAnswered(call: () => Promise<unknown>): Promise<boolean | undefined> {
  for (const givenUpMs = performance.now() + resolvedWithinMs; performance.now() < givenUpMs; )
    try {
      await call();
      return true;
    } catch (error) {
      if (!isUnknown((error as { code: string }).code)) return false;
    }
  return undefined;
}

async function balancesOf(stage: Stage, people: readonly Person[]): Promise<Record<string, number>> {
  const found = await mapConcurrently(people, 8, async (person) => {
    const { balance } = await stage.client(person).wallet.get();
    return [person.id, balance] as const;
  });
  return Object.fromEntries(found);
}

/** Gives one gift to learn the share of the recipient. */
async function creditOf(
  stage: Stage,
  people: readonly Person[],
  { roomId, giftId }: { roomId: string; giftId: string },
) {
  const [sender, recipient] = [stage.client(people[0]!), stage.client(people[1]!)];
  for (const client of [sender, recipient]) await client.request("joinRoom", { params: { id: roomId }, body: {} });
  const { balance: before } = await recipient.wallet.get();
  await sender.gifts.send(roomId, { gift_id: giftId, recipient_id: people[1]!.id, quantity: 1 });
  return (await recipient.wallet.get()).balance - before;
}
