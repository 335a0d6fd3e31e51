import { expect } from "chai";
import fc from "fast-check";
import { Redis } from "ioredis";
import { metrics } from "#shared/kernel/metrics.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import { until } from "#shared/testing/until.ts";
import { connectRedis } from "../core/connect-redis.ts";
import { Bus } from "./bus.ts";
import { batchKey, inboxesKey, inboxKey, inboxMax } from "./bus-script.ts";

/** As a process that has the bus: what it heard, and how often it missed something. */
interface Node {
  readonly id: string;
  readonly bus: Bus;
  readonly heard: string[];
  missed: number;
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);

describe("the bus between processes", () => {
  let redis: TestRedis;
  let owner: Redis;
  let started = 0;
  let running: Node[] = [];
  before(async () => {
    redis = await startRedis();
    owner = new Redis(redis.url);
    owner.on("error", () => {}); // A test restarts Redis.
  });
  afterEach(async () => {
    await Promise.all(running.map(({ bus }) => bus.stop()));
    running = [];
  });
  after(async () => {
    owner.disconnect();
    await redis.stop();
  });

  async function startNode(hear?: (node: Node, message: string, channels: readonly string[]) => void): Promise<Node> {
    const client = connectRedis(redis.url);
    const id = `process-${++started}`;
    const listener = {
      hear: (message: string, channels: readonly string[]) => {
        if (hear) hear(node, message, channels);
        else node.heard.push(message);
      },
      together: (work: () => void) => work(),
      missed: () => {
        node.missed += 1;
      },
    };
    const node: Node = { id, bus: new Bus(client, id, listener), heard: [], missed: 0 };
    await node.bus.start();
    client.disconnect();
    running.push(node);
    return node;
  }
  const entriesRead = async () => (await metrics.busEntries.get()).values[0]?.value ?? 0;
  const inboxOf = async ({ id }: Node) => inboxKey((await owner.hget(inboxesKey, id))!);
  const cutOff = () =>
    Promise.all(["normal", "pubsub"].map((type) => owner.client("KILL", "TYPE", type, "SKIPME", "yes")));

  it("brings what is sent to a channel to each process that wants it, in order", async () => {
    const [sender, one, two] = [await startNode(), await startNode(), await startNode()];
    await Promise.all([
      one.bus.want("room:1"),
      two.bus.want("room:1"),
      two.bus.want("user:1"),
      sender.bus.want("room:1"),
    ]);

    for (const n of numbers(50)) sender.bus.send(["room:1", "user:1"], n);

    await until("both have heard", () => {
      return one.heard.length + two.heard.length === 100;
    });
    expect([one.heard, two.heard, sender.heard]).to.deep.equal([numbers(50), numbers(50), []]);
  });

  it("costs a bystander nothing: of 5,000 events of others it reads no entry", async () => {
    const [sender, receiver, bystander] = [await startNode(), await startNode(), await startNode()];
    await Promise.all([receiver.bus.want("room:1"), bystander.bus.want("room:2")]);
    const before = await entriesRead();

    for (const n of numbers(5000)) sender.bus.send(["room:1"], n);
    await until("all are heard", () => receiver.heard.length === 5000);
    sender.bus.send(["room:2"], "for the bystander");
    await until("the bystander is reached", () => bystander.heard.length === 1);

    expect((await entriesRead()) - before).to.equal(5001);
    expect(bystander.missed).to.equal(0);
  });

  it("reaches a process that was cut off at that moment, once", async () => {
    const [sender, receiver] = [await startNode(), await startNode()];
    await receiver.bus.want("room:1");

    for (const n of numbers(30)) {
      sender.bus.send(["room:1"], n);
      if (Number(n) % 10 === 5) await cutOff();
    }

    await until("it has heard it", () => receiver.heard.includes("29"));
    expect(receiver.heard).to.deep.equal(numbers(30));
    expect([sender.missed, receiver.missed]).to.deep.equal([0, 0]);
  });

  it("tells a process that hung while more was sent to it than waits, and no other", async () => {
    const [sender, slow, bystander] = [await startNode(), await startNode(), await startNode()];
    await Promise.all([slow.bus.want("room:1"), bystander.bus.want("room:1")]);
    const inbox = await inboxOf(slow);

    // It finds as much at once as if it had hung meanwhile.
    const flood = owner.multi();
    for (const n of numbers(15_000)) flood.xadd(inbox, "MAXLEN", "~", inboxMax, "*", "message", n, "to", "room:1");
    await flood.exec();

    await until("it is told", () => slow.missed === 1);
    await until("its old inbox is gone", async () => (await owner.exists(inbox)) === 0);
    sender.bus.send(["room:1"], "later");
    await until("both are reached", () => [slow, bystander].every(({ heard }) => heard.at(-1) === "later"));
    expect(bystander.missed).to.equal(0);
  });

  it("tells a process whose inbox has expired", async () => {
    const [sender, receiver] = [await startNode(), await startNode()];
    await receiver.bus.want("room:1");

    await owner.del(await inboxOf(receiver));

    await until("it is told", () => receiver.missed === 1, 5000);
    sender.bus.send(["room:1"], "again");
    await until("it is reached", () => receiver.heard.join() === "again");
  });

  it("loses nothing that is sent after Redis has lost its data, and tells no process to catch up", async () => {
    const [sender, receiver] = [await startNode(), await startNode()];
    await receiver.bus.want("room:1");

    await owner.flushall();
    for (const n of numbers(10)) sender.bus.send(["room:1"], n);

    await until("it has heard it", () => receiver.heard.length === 10, 10_000);
    expect(receiver.heard).to.deep.equal(numbers(10));
    expect([sender.missed, receiver.missed]).to.deep.equal([0, 0]);
  });

  it("tells all processes when a replica takes over that hasn't got what one sent", async () => {
    const [sender, receiver] = [await startNode(), await startNode()];
    await receiver.bus.want("room:1");
    sender.bus.send(["room:1"], "first");
    await until("it is heard", () => receiver.heard.length === 1);
    const inbox = (await owner.hget(inboxesKey, sender.id))!;

    await owner.set(batchKey(inbox), 0);

    await until("both are told", () => sender.missed === 1 && receiver.missed === 1);
    sender.bus.send(["room:1"], "second");
    await until("it is heard", () => receiver.heard.at(-1) === "second");
  });

  it("tells a process when a replica takes over that hasn't got what it has read", async () => {
    const [bystander, receiver] = [await startNode(), await startNode()];
    await receiver.bus.want("room:1");
    const entries = await owner.xrange(await inboxOf(receiver), "-", "+");

    for (const [id] of entries) await owner.xdel(await inboxOf(receiver), id);

    await until("it is told", () => receiver.missed === 1);
    expect(bystander.missed).to.equal(0);
  });

  it("tells all others when a process gives up what it had for them", async () => {
    const [sender, receiver] = [await startNode(), await startNode()];
    await receiver.bus.want("room:1");

    for (const n of numbers(20_010)) sender.bus.send(["room:1"], n);

    await until("they are told", () => receiver.missed === 1, 5000);
    expect(sender.missed).to.equal(0);
  });

  it("forgets processes that were killed when another starts", async () => {
    await owner.hset(inboxesKey, "killed", "killed:1");
    const { id } = await startNode();
    expect(await owner.hkeys(inboxesKey))
      .to.include(id)
      .and.not.include("killed");
  });

  it("forgets the claims of a process that was killed", async () => {
    const [sender, killed] = [await startNode(), await startNode()];
    await killed.bus.want("room:killed");
    await killed.bus.stop();
    expect(await owner.hlen("{hubbub:bus}:to:room:killed")).to.equal(1);

    sender.bus.send(["room:killed"], "anyone?");

    await until("its claim is gone", async () => (await owner.hlen("{hubbub:bus}:to:room:killed")) === 0);
    running = running.filter((node) => node !== killed);
  });

  it("brings members who come and go at any moment all that is sent while they are there, and then nothing", async () => {
    const inside = new Map<string, string[]>();
    const sender = await startNode();
    /** As a gateway: a member is in the room when the process hears so. */
    const receiver = await startNode((node, message) => {
      const [what, member] = message.split(" ") as [string, string];
      if (what !== "join") for (const events of inside.values()) events.push(what);
      else {
        if (inside.size === 0) void node.bus.want("room:1");
        inside.set(member, []);
      }
    });
    let sent = 0;
    const leave = (member: string): string[] => {
      const events = inside.get(member)!;
      inside.delete(member);
      if (inside.size === 0) receiver.bus.unwant("room:1");
      return events;
    };

    const stay = fc.record({ events: fc.nat(4), overlaps: fc.boolean(), waits: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(stay, { maxLength: 12 }), async (stays) => {
        const joined: { member: string; from: number }[] = [];
        for (const [nth, { events, overlaps, waits }] of stays.entries()) {
          const member = `m${nth}-${sent}`;
          joined.push({ member, from: sent });
          sender.bus.admit(receiver.id, "room:1", `join ${member}`);
          for (let n = 0; n < events; n += 1) sender.bus.send(["room:1"], `${sent++}`);
          if (overlaps) continue;
          if (waits) await until("they are in", () => inside.has(member));
          for (const { member, from } of joined.splice(0)) {
            await until("all is heard", () => inside.get(member)?.length === sent - from);
            expect(leave(member)).to.deep.equal(numbers(sent).slice(from));
          }
        }
        for (const { member, from } of joined) {
          await until("all is heard", () => inside.get(member)?.length === sent - from);
          leave(member);
        }
      }),
      { numRuns: 30 },
    );

    await until("nothing comes any more", async () => (await owner.hlen("{hubbub:bus}:to:room:1")) === 0);
  });
});
