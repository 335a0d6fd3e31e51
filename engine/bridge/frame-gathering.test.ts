import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import fc from "fast-check";
import { Server } from "socket.io";
import { type Socket as ClientSocket, io as connect } from "socket.io-client";
import { FrameGathering, gapAfter } from "./frame-gathering.ts";

/** As many as a room needs for its events to be gathered, with some that come and go. */
const crowd = 110;
/** Those who get something alone, leave, and come back: few, so that one of them does several of these. */
const few = 4;
const room = "room";

interface Connection {
  readonly transport: { readonly socket: { readonly _sender: { sendFrame(...frames: unknown[]): void } } };
}

interface Listener {
  readonly client: ClientSocket;
  readonly heard: string[];
  readonly expected: string[];
}

describe("the gap after a delivery to a crowd", () => {
  const cases: [what: string, delivery: Parameters<typeof gapAfter>[0], gapMs: number][] = [
    ["is as long as the crowd is large", { sockets: 300, tookMs: 3, isGathered: false }, 12],
    ["is no longer after an event alone that was a little slow", { sockets: 300, tookMs: 25, isGathered: false }, 12],
    ["has a limit", { sockets: 1000, tookMs: 10, isGathered: false }, 25],
    ["is a rest after gathered events", { sockets: 300, tookMs: 10, isGathered: true }, 40],
    ["is a rest after an event to thousands", { sockets: 5000, tookMs: 30, isGathered: false }, 100],
    ["is longer on a busy machine", { sockets: 5000, tookMs: 80, isGathered: true }, 200],
    ["has a limit there, too", { sockets: 5000, tookMs: 500, isGathered: true }, 250],
  ];
  for (const [what, delivery, gapMs] of cases)
    it(what, () => {
      expect(gapAfter(delivery)).to.equal(gapMs);
    });
});

describe("the delivery to a crowd", () => {
  let http: HttpServer;
  let io: Server;
  let gathering: FrameGathering;
  let listeners: Listener[];

  const open = async (transport: "websocket" | "polling"): Promise<Listener> => {
    const { port } = http.address() as AddressInfo;
    const client = connect(`http://127.0.0.1:${port}`, { transports: [transport], forceNew: true });
    const heard: string[] = [];
    client.onAny((_event, text: string) => heard.push(text));
    await once(client as never, "connect");
    return { client, heard, expected: [] };
  };
  const idOf = ({ client }: Listener): string => client.id!;

  before(async () => {
    http = createServer();
    io = new Server(http);
    gathering = new FrameGathering(io);
    await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
    listeners = await Promise.all(
      Array.from({ length: crowd }, (_none, nth) => open(nth % 20 === 0 ? "polling" : "websocket")),
    );
  });
  after(async () => {
    for (const { client } of listeners) client.disconnect();
    await io.close();
  });

  const step = fc.oneof(
    { weight: 6, arbitrary: fc.constant({ kind: "patient" } as const) },
    { weight: 1, arbitrary: fc.constant({ kind: "urgent" } as const) },
    ...(["personal", "answer", "leave", "join"] as const).map((kind) => ({
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant(kind), whose: fc.nat({ max: few - 1 }) }),
    })),
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("together" as const),
        events: fc.array(fc.constantFrom("room:new_message", "room:seats_updated"), { maxLength: 4 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("pause" as const), ms: fc.nat({ max: 12 }) }) },
  );

  it("shows each socket the same events in the same order as without gathering", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const inside = new Set(listeners);
        for (const listener of listeners) {
          listener.heard.length = 0;
          listener.expected.length = 0;
          io.in(idOf(listener)).socketsJoin(room);
        }
        const say = (to: Iterable<Listener>, event: string, channel: string, nth: number) => {
          for (const { expected } of to) expected.push(`${event} ${nth}`);
          io.to(channel).emit(event, `${event} ${nth}`);
        };
        for (const [nth, each] of steps.entries())
          if (each.kind === "patient") say(inside, "room:new_message", room, nth);
          else if (each.kind === "urgent") say(inside, "room:seats_updated", room, nth);
          else if (each.kind === "together")
            gathering.together(() => {
              for (const [at, event] of each.events.entries()) say(inside, event, room, nth + at / 10);
            });
          else if (each.kind === "pause") await new Promise((resolve) => setTimeout(resolve, each.ms));
          else {
            const listener = listeners[each.whose]!;
            if (each.kind === "personal") say([listener], "room:kicked", idOf(listener), nth);
            else if (each.kind === "answer") {
              gathering.catchUp(idOf(listener));
              listener.expected.push(`answer ${nth}`);
              io.of("/").sockets.get(idOf(listener))!.emit("answer", `answer ${nth}`);
            } else if (each.kind === "leave") {
              inside.delete(listener);
              io.in(idOf(listener)).socketsLeave(room);
            } else {
              inside.add(listener);
              io.in(idOf(listener)).socketsJoin(room);
            }
          }
        say(inside, "room:closed", room, steps.length);
        // The last thing that each hears.
        for (const listener of listeners) say([listener], "end", idOf(listener), steps.length);
        await Promise.all(
          listeners.map(async ({ client, heard, expected }) => {
            while (heard.length < expected.length) await once(client as never, "end");
          }),
        );
        for (const { heard, expected } of listeners) expect(heard).to.deep.equal(expected);
      }),
      { numRuns: 15 },
    );
  });

  it("writes events that follow each other closely together", async () => {
    for (const listener of listeners) io.in(idOf(listener)).socketsJoin(room);
    const { transport } = io.of("/").sockets.get(idOf(listeners[1]!))!.conn as unknown as Connection;
    const { _sender: sender } = transport.socket;
    let writes = 0;
    const { sendFrame } = sender;
    sender.sendFrame = (...frames) => {
      writes += 1;
      sendFrame.apply(sender, frames);
    };
    const last = once(listeners[1]!.client as never, "room:seats_updated");
    for (let nth = 0; nth < 20; nth += 1) io.to(room).emit("room:new_message", `message ${nth}`);
    io.to(room).emit("room:seats_updated", "seats");
    await last;
    // The first at once, unless the gap of an earlier delivery still lasts, then the gathered ones, and the seats.
    expect(writes).to.be.within(2, 3);

    // To a few, too, if they come at once.
    const pair = "pair";
    for (const listener of listeners.slice(0, 3)) io.in(idOf(listener)).socketsJoin(pair);
    writes = 0;
    const heard: string[] = [];
    listeners[1]!.client.on("room:new_message", (text: string) => heard.push(text));
    const end = once(listeners[1]!.client as never, "room:closed");
    gathering.together(() => {
      for (const nth of [1, 2, 3]) io.to(pair).emit("room:new_message", `message ${nth}`);
    });
    expect(writes).to.equal(1);
    io.to(pair).emit("room:closed", "end");
    await end;
    expect(heard).to.deep.equal(["message 1", "message 2", "message 3"]);
  });
});
