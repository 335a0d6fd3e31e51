import { mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import pg from "pg";
import { findEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { newId } from "#shared/kernel/ids.ts";
import { allPages } from "#shared/testing/all-pages.ts";
import { closeClients, connectSocket, type Inbox, joinNative, type Payload } from "#shared/testing/clients/clients.ts";
import { killHard, signalPostgres } from "#shared/testing/kill-hard.ts";
import {
  openRoom,
  type Registered,
  register,
  runProgram,
  type SpawnedService,
  spawnService,
  stopServices,
} from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";

/**
 * What a client asked for under a key of its own, and the id in the answer; without one it doesn't know the outcome.
 */
type Journal = Map<string, { readonly by: Registered; readonly to?: Registered; id?: string }>;

interface Client {
  readonly inbox: Inbox;
  ask(event: string, payload?: unknown): Promise<Payload>;
}

const giftPrice = 2;
/** At the default share of 50 percent. */
const recipientCoins = 1;
const signupBonus = 100;

describe("the service, killed with its database", function () {
  this.timeout(240_000);
  let folder: string;
  let service: SpawnedService;
  let giftId: string;
  let roomId: string;
  let host: Registered;
  let ada: Registered;
  let bob: Registered;
  const messages: Journal = new Map();
  const gifts: Journal = new Map();

  before(async () => {
    folder = join(await mkdtemp(join(tmpdir(), "crash-")), "data");
    service = await spawnService({ DATA_DIR: folder });
    giftId = await putGiftOnSale();
    [host, ada, bob] = await Promise.all([register(service), register(service), register(service)]);
    roomId = await openRoom(service, host);
  });
  after(async () => {
    closeClients();
    // In order, with its database.
    await stopServices("SIGTERM");
  });

  async function connectDatabase(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: (await findEmbeddedPostgres(join(folder, "postgres")))?.url });
    await client.connect();
    return client;
  }

  async function putGiftOnSale(): Promise<string> {
    const client = await connectDatabase();
    const [id, categoryId] = [newId(), newId()];
    await client.query("INSERT INTO gift_categories (id, name) VALUES ($1, 'Classic')", [categoryId]);
    await client.query(
      "INSERT INTO gifts (id, category_id, name, image_url, price) VALUES ($1, $2, 'Clap', 'https://cdn.example.com/c.png', $3)",
      [id, categoryId, giftPrice],
    );
    await client.end();
    return id;
  }

  /** Everybody comes in: two over Socket.IO, one natively. Answers the room as the first found it, and the clients. */
  async function enterAll(): Promise<{ room: Payload; clients: [Client, Client, Client] }> {
    const [hostClient, adaClient] = await Promise.all(
      [host, ada].map(({ token }) => connectSocket(service.url, token)),
    );
    const joined = await hostClient!.ask("room:join", { room_id: roomId });
    expect(joined.success, JSON.stringify(joined)).to.equal(true);
    expect((await adaClient!.ask("room:join", { room_id: roomId })).success).to.equal(true);
    const bobClient = await joinNative(service.url, bob.token, { room_id: roomId });
    return { room: joined.data, clients: [hostClient!, adaClient!, bobClient] };
  }

  async function write(client: Client, by: Registered, key: string): Promise<void> {
    const entry = messages.get(key) ?? { by };
    messages.set(key, entry);
    const answer = await client.ask("room:message", { room_id: roomId, body: `message ${key}`, client_id: key });
    if (answer.success) entry.id = answer.data.id;
  }

  async function give(by: Registered, to: Registered, key: string): Promise<void> {
    const entry = gifts.get(key) ?? { by, to };
    gifts.set(key, entry);
    const body = { gift_id: giftId, recipient_id: to.id, quantity: 1 };
    const headers = { "idempotency-key": key };
    const answer = await service.call("post", `/rooms/${roomId}/gifts`, { token: by.token, body, headers });
    if (answer.status === 201) entry.id = answer.body.data.id;
  }

  const known = (journal: Journal) => [...journal.values()].filter(({ id }) => id).length;

  /** Chat and gifts from everybody at once, some of each under way at any moment, until the service is gone. */
  async function useUntilGone(clients: [Client, Client, Client], round: number): Promise<void> {
    const [hostClient, adaClient, bobClient] = clients;
    const people = [host, ada, bob];
    const worker = async (name: string, most: number, work: (key: string, count: number) => Promise<void>) => {
      try {
        for (let count = 0; count < most; count += 1) await work(`${round}-${name}-${count}`, count);
      } catch {
        // Cut off: what was under way is in the journal without an answer.
      }
    };
    const chat = [hostClient, adaClient, bobClient].flatMap((client, index) =>
      [1, 2].map((line) => worker(`chat-${index}-${line}`, Infinity, (key) => write(client, people[index]!, key))),
    );
    const giving = people.flatMap((by, index) =>
      [1, 2].map((hand) =>
        worker(`gift-${index}-${hand}`, 10, (key, count) => give(by, people[(index + 1 + (count % 2)) % 3]!, key)),
      ),
    );
    const before = { messages: known(messages), gifts: known(gifts) };
    const killed = until(
      "some of both are acknowledged",
      () => known(messages) > before.messages + 30 && known(gifts) > before.gifts + 10,
      20_000,
    ).then(() => killHard(service, folder));
    await Promise.all([...chat, ...giving, killed]);
  }

  /** Asks again for everything that was never answered, with the keys that it had. */
  async function retryUnknown(clients: [Client, Client, Client]): Promise<void> {
    const clientOf = new Map([host, ada, bob].map(({ id }, index) => [id, clients[index]!]));
    for (const [key, { by, to, id }] of [...messages, ...gifts]) {
      if (id) continue;
      if (to) await give(by, to, key);
      else await write(clientOf.get(by.id)!, by, key);
    }
    expect(known(messages)).to.equal(messages.size);
    expect(known(gifts)).to.equal(gifts.size);
  }

  async function storedMessages(): Promise<Payload[]> {
    const items: Payload[] = [];
    for (let before = ""; ; ) {
      const { body } = await service.call("get", `/rooms/${roomId}/messages?limit=100${before}`, { token: host.token });
      items.push(...body.data.items);
      if (!body.data.next_before) return items;
      before = `&before=${body.data.next_before}`;
    }
  }

  async function expectNothingLostOrDoubled(): Promise<void> {
    const stored = (await storedMessages()).map(({ id, body, user }) => [id, body, user.id]);
    const wanted = [...messages].map(([key, { id, by }]) => [id, `message ${key}`, by.id]);
    expect(stored).to.have.deep.members(wanted);
    for (const person of [host, ada, bob]) {
      const sent = (await allPages(service.call, "/gifts/transactions/sent", person.token)).map(({ id }) => id);
      const mine = [...gifts.values()].filter(({ by }) => by === person);
      expect(sent).to.have.members(mine.map(({ id }) => id));
      const received = [...gifts.values()].filter(({ to }) => to === person).length;
      const { body } = await service.call("get", "/wallet", { token: person.token });
      expect(body.data.balance).to.equal(signupBonus - giftPrice * mine.length + recipientCoins * received);
    }
    const ledger = await runProgram(["main.ts", "ledger-check"], { DATA_DIR: folder });
    expect(ledger).to.deep.equal({ exitCode: 0, output: "The ledger is consistent.\n" });
  }

  /** What follows from gifts is recorded by batches, which the kill divided anywhere. */
  async function expectRecordedOnce(): Promise<void> {
    const client = await connectDatabase();
    const isDelivered = async () => (await client.query("SELECT 1 FROM undelivered_events LIMIT 1")).rowCount === 0;
    await until("everything is delivered", isDelivered, 20_000);
    const read = async (sql: string) => new Map((await client.query(sql)).rows.map(({ id, n }) => [id, n]));
    const scores = await read(
      "SELECT subject_id AS id, sum(score)::int AS n FROM leaderboard_scores WHERE scope = 'gift_senders' GROUP BY 1",
    );
    const notified = await read(
      "SELECT user_id AS id, sum(events)::int AS n FROM notifications WHERE type = 'gift' GROUP BY 1",
    );
    await client.end();
    for (const person of [host, ada, bob]) {
      const count = (of: (gift: { by: Registered; to?: Registered }) => boolean) =>
        [...gifts.values()].filter(of).length;
      expect(scores.get(person.id)).to.equal(giftPrice * count(({ by }) => by === person));
      expect(notified.get(person.id)).to.equal(count(({ to }) => to === person));
    }
  }

  it("has everything that it acknowledged, once, when it is back", async () => {
    let { clients } = await enterAll();
    const [hostClient, adaClient] = clients;
    const inRoom = (more: object = {}) => ({ room_id: roomId, ...more });
    await hostClient.ask("seat:invite", inRoom({ user_id: ada.id, seat_no: 3 }));
    await adaClient.ask("seat:accept_invite", inRoom());
    await hostClient.ask("seat:lock", inRoom({ seat_no: 5, locked: true }));
    await hostClient.ask("room:role", inRoom({ user_id: bob.id, role: "moderator" }));
    const muted = await hostClient.ask("seat:mute", inRoom({ seat_no: 3, muted: true }));
    const seats = muted.data.seats.map(({ user, ...seat }: Payload) => ({ ...seat, user: user?.id ?? null }));
    for (const round of [1, 2]) {
      await useUntilGone(clients, round);
      const seen = clients.flatMap(({ inbox }) => inbox.all.map(({ payload }) => payload.seq ?? 0));
      closeClients();
      service = await spawnService({ DATA_DIR: folder });
      const back = await enterAll();
      clients = back.clients;
      expect(back.room.seq).to.be.greaterThan(Math.max(...seen));
      expect(
        back.room.seats.map(({ user, ...seat }: Payload) => ({ ...seat, user: user?.id ?? null, gifts_received: 0 })),
      ).to.deep.equal(seats);
      await retryUnknown(clients);
      await expectNothingLostOrDoubled();
      await expectRecordedOnce();
      const { body } = await service.call("get", `/rooms/${roomId}`, { token: bob.token });
      expect(body.data.my_role).to.equal("moderator");
      const toAda = [...gifts.values()].filter(({ to }) => to === ada).length;
      expect(body.data.seats[2].gifts_received).to.equal(giftPrice * toAda);
    }
  });

  it("refuses calls in time while its database hangs, and serves when it is back", async () => {
    const [client] = (await enterAll()).clients;
    const printed = service.output().length;
    await signalPostgres(join(folder, "postgres"), "SIGSTOP");
    const timed = async (call: Promise<{ status?: number; headers?: Headers; error?: Payload }>) => {
      const sinceMs = performance.now();
      const { status, headers, error } = await call;
      return { code: error?.code ?? status, retryAfter: headers?.get("retry-after"), ms: performance.now() - sinceMs };
    };
    try {
      const body = { gift_id: giftId, recipient_id: ada.id, quantity: 1 };
      const calls = Array.from({ length: 20 }, () => [
        timed(service.call("get", "/wallet", { token: ada.token })),
        timed(service.call("get", "/rooms", { token: ada.token })),
        timed(service.call("post", `/rooms/${roomId}/gifts`, { token: host.token, body })),
        timed(service.call("post", "/auth/login", { body: { identifier: "nobody", password: "not the password" } })),
      ]).flat();
      const said = timed(client.ask("room:message", { room_id: roomId, body: "Hello?" }));

      for (const { code, retryAfter, ms } of await Promise.all(calls)) {
        expect([code, retryAfter]).to.deep.equal([503, "1"]);
        expect(ms).to.be.below(15_000);
      }
      expect(await said).to.include({ code: "ENGINE_UNAVAILABLE" });
      expect(
        service
          .output()
          .slice(printed)
          .split("\n")
          .filter((line) => /"level":[45]0/.test(line)).length,
      ).to.be.below(150);
    } finally {
      await signalPostgres(join(folder, "postgres"), "SIGCONT");
    }
    await until(
      "it serves again",
      async () => {
        const said = await client.ask("room:message", { room_id: roomId, body: "Back." });
        const { status } = await service.call("get", "/wallet", { token: ada.token });
        if (said.error?.code === "NOT_A_MEMBER") await client.ask("room:join", { room_id: roomId });
        return said.success && status === 200;
      },
      10_000,
    );
  });

  it("is restored from a backup that was made while people used it", async () => {
    const { clients } = await enterAll();
    const backup = join(folder, "..", "backup.sql.gz");
    const known = [...messages.values()].map(({ id }) => id!);
    let isMade = false;
    const using = (async () => {
      for (let count = 0; !isMade; count += 1) {
        await write(clients[0], host, `backup-${count}`);
        await give(host, ada, `backup-${count}`);
      }
    })();
    const made = await runProgram(["main.ts", "backup", backup], { DATA_DIR: folder });
    expect(made.output).not.to.include("MaxListenersExceededWarning");
    isMade = true;
    await using;
    expect(made.exitCode, made.output).to.equal(0);
    const printed = await readFile(backup);
    expect((await stat(backup)).mode & 0o777).to.equal(0o600);

    const again = join(folder, "..", "restored");
    const restored = await runProgram(["main.ts", "restore", backup], { DATA_DIR: again });
    expect(restored.output).to.include("The ledger and the audit log are consistent.");
    const twice = await runProgram(["main.ts", "restore", backup], { DATA_DIR: again });
    expect([twice.exitCode, twice.output]).to.deep.equal([
      1,
      "The database isn't empty. Restore into a new DATA_DIR or a new database.\n",
    ]);
    await writeFile(`${backup}.cut`, gzipSync(gunzipSync(printed).subarray(0, -20)));
    const cut = await runProgram(["main.ts", "restore", `${backup}.cut`], { DATA_DIR: `${again}.cut` });
    expect([cut.exitCode, cut.output]).to.deep.equal([
      1,
      "The backup is incomplete: its end is missing. Nothing was restored.\n",
    ]);

    const rows = gunzipSync(printed).toString();
    for (const id of known) expect(rows).to.include(id);
  });
});
