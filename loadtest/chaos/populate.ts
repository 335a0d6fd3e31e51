import { assert } from "#shared/kernel/assert.ts";
import { newId } from "#shared/kernel/ids.ts";
import { register, type SpawnedService } from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";
import { lastSeat } from "./acts.ts";
import { adminLogin, type Cluster } from "./cluster.ts";
import type { Dice } from "./dice.ts";
import { Register } from "./journal.ts";
import { Person } from "./person.ts";
import { preparePlays } from "./plays.ts";
import { openAccount, openShop } from "./shop.ts";
import { type Place, World } from "./world.ts";

export interface Crowd {
  readonly rooms: number;
  readonly perRoom: number;
}

/** How many people write in the room where a judge is asked. */
const judgedCount = 2;
const startWithinMs = 150_000;

/** Fills a new cluster with rooms and people, who aren't connected yet. */
export async function populate(cluster: Cluster, dice: Dice, crowd: Crowd): Promise<World> {
  // On a busy machine, a start may fail, and is tried again.
  await until("the processes are ready", () => cluster.nodes.every(({ service }) => service), startWithinMs).catch(
    (error: unknown) => {
      throw new Error(cluster.nodes.find(({ service }) => !service)?.startError, { cause: error });
    },
  );
  const service = cluster.nodes[0]!.service!;
  const adminToken = await logIn(service);
  await changeSettings(service, adminToken);
  const goods = { giftId: await putGiftOnSale(cluster), shop: await openShop() };
  await preparePlays(service, adminToken, goods.giftId);
  const world = new World(cluster, dice.fork(), goods, adminToken);
  // First: its rule is known to all processes when the others have been opened.
  await openPlace(world, service, { room: crowd.rooms, dice, count: judgedCount, isJudged: true });
  for (let room = 0; room < crowd.rooms; room += 1)
    await openPlace(world, service, { room, dice, count: crowd.perRoom });
  return world;
}

async function putGiftOnSale({ database }: Cluster): Promise<string> {
  const [categoryId, giftId] = [newId(), newId()];
  await database.query("INSERT INTO gift_categories (id, name) VALUES ($1, 'Classic')", [categoryId]);
  await database.query(
    "INSERT INTO gifts (id, category_id, name, image_url, price) VALUES ($1, $2, 'Clap', 'https://cdn.example.com/c.png', 2)",
    [giftId, categoryId],
  );
  return giftId;
}

/** Has every process serve with these within 2 seconds. */
async function changeSettings(service: SpawnedService, token: string): Promise<void> {
  const body = { adjustment_approval_above: 1_000_000_000, catalogue_payment: "prepaid", purchase_refunds_max: 0 };
  const { status } = await service.call("patch", "/admin/settings", { token, body });
  assert(status === 200, "the settings are changed");
}

/** Calls a process that is well. */
async function call<T>(service: SpawnedService, path: string, body: object, token?: string): Promise<T> {
  const answer = await service.call("post", path, { body, ...(token && { token }) });
  assert(answer.status < 300, `${path} answered ${JSON.stringify(answer.body)}`);
  return answer.body.data as T;
}

const logIn = async (service: SpawnedService): Promise<string> =>
  (await call<{ token: string }>(service, "/admin/login", adminLogin)).token;

interface PlaceOptions {
  readonly room: number;
  readonly dice: Dice;
  readonly count: number;
  readonly isJudged?: boolean;
}

async function openPlace(
  world: World,
  service: SpawnedService,
  { room, dice, count, isJudged = false }: PlaceOptions,
): Promise<void> {
  const accounts = await Promise.all(Array.from({ length: count }, () => register(service)));
  const details = { name: `Room ${room}`, category: "music", language: "en", seat_count: lastSeat };
  const { id: roomId } = await call<{ id: string }>(service, "/rooms", details, accounts[0]!.token);
  const bearerTokens = await Promise.all(accounts.map(({ id }) => openAccount(id)));
  const people = accounts.map(
    (account, index) =>
      new Person({
        account,
        bearerToken: bearerTokens[index]!,
        name: `${index === 0 ? "host" : "guest"} ${room}.${index}`,
        door: dice.chance(0.3) ? "native" : "socket",
        roomId,
        world,
        dice: dice.fork(),
      }),
  );
  const conversations = await openConversations(service, people);
  const place: Place = { id: roomId, people, conversations, table: { players: people.slice(0, 2) }, isJudged };
  world.places.push(place);
  world.people.push(...people);
  keepValues(world, place);
  if (isJudged) await judgeRoom(world, service, roomId);
}

/** Has a judge asked about each message in a room: what it finds, or can't judge, waits for the administrator. */
async function judgeRoom(world: World, service: SpawnedService, room_id: string): Promise<void> {
  const rule = {
    name: "Spam",
    scope: { kind: "room", room_id },
    trigger: { kind: "labels", labels: ["spam"], percent: 80 },
    action: { kind: "hold", text: "Please wait." },
  };
  await call(service, "/admin/rules", rule, world.adminToken);
}

/** Opens a conversation for each two of these people. */
async function openConversations(service: SpawnedService, people: readonly Person[]): Promise<Place["conversations"]> {
  const conversations = new Map<Person, Map<Person, string>>(people.map((person) => [person, new Map()]));
  for (const [index, one] of people.entries())
    for (const other of people.slice(index + 1)) {
      const { id } = await call<{ id: string }>(
        service,
        "/conversations",
        { peer_id: other.account.id },
        one.account.token,
      );
      conversations.get(one)!.set(other, id);
      conversations.get(other)!.set(one, id);
    }
  return conversations;
}

/** Names the values in the database that these people will set. */
function keepValues(world: World, { id: roomId, people }: Place): void {
  const [host, ...guests] = people;
  host!.lastSeatLocked = new Register(false);
  world.stored.push({
    name: `the lock of ${host!.name}'s last seat`,
    register: host!.lastSeatLocked,
    sql: `coalesce((SELECT (live->'seats'->${lastSeat - 1}->>'locked')::boolean FROM room_states WHERE room_id = $1), false)`,
    values: [roomId],
  });
  for (const person of guests)
    world.stored.push({
      name: `the seat of ${person.name}`,
      register: person.seat,
      sql: "coalesce((SELECT live->'seats' @> jsonb_build_array(jsonb_build_object('userId', $2::text)) FROM room_states WHERE room_id = $1), false)",
      values: [roomId, person.account.id],
    });
  for (const person of people)
    for (const { account, name } of people.filter((other) => other !== person)) {
      const register = new Register(false);
      person.follows.set(account.id, register);
      world.stored.push({
        name: `whether ${person.name} follows ${name}`,
        register,
        sql: "EXISTS (SELECT 1 FROM user_follows WHERE follower_id = $1 AND followed_id = $2)",
        values: [person.account.id, account.id],
      });
    }
}
