import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { Server } from "socket.io";
import { type Socket as ClientSocket, io as connect } from "socket.io-client";
import { until } from "#shared/testing/until.ts";
import { Fanout } from "./fanout.ts";

const roomId = "1";
const seats = (seq: number) => ({ event: "room:seats_updated", payload: { room_id: roomId, seq } }) as never;
const hearts = { event: "room:hearts", payload: { room_id: roomId, count: 1 } } as never;

describe("a volatile event of a room", () => {
  let http: HttpServer;
  let io: Server;
  let fanout: Fanout;
  let client: ClientSocket;
  let heard: [string, number?][];

  beforeEach(async () => {
    http = createServer();
    io = new Server(http);
    fanout = new Fanout(io);
    io.on("connection", (socket) => void socket.join(`room:${roomId}`));
    await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
    const { port } = http.address() as AddressInfo;
    client = connect(`http://127.0.0.1:${port}`, { transports: ["websocket"], forceNew: true });
    heard = [];
    client.onAny((event: string, { seq }: { seq?: number }) => heard.push(seq === undefined ? [event] : [event, seq]));
    await once(client as never, "connect");
  });
  afterEach(async () => {
    client.disconnect();
    await io.close();
  });

  const numbersHeard = () => heard.flatMap(([, seq]) => seq ?? []);
  const push = (seq: number, volatile = false) => fanout.toRoom(roomId, seats(seq), { volatile });

  it("comes a moment later to a socket that was busy, if it is the last one", async () => {
    push(1);
    push(2, true);
    fanout.toRoom(roomId, hearts, { volatile: true });
    await until("the last event has come", () => numbersHeard().includes(2));
    expect(numbersHeard()).to.deep.equal([1, 2]);
  });

  it("doesn't come after one that follows it", async () => {
    push(1);
    push(2, true);
    push(3);
    push(4, true);
    await until("the last event has come", () => numbersHeard().includes(4));
    expect(numbersHeard()).to.deep.equal([1, 3, 4]);
  });

  it("doesn't come to a socket that has left meanwhile", async () => {
    push(1);
    push(2, true);
    io.socketsLeave(`room:${roomId}`);
    io.socketsJoin("room:2");
    fanout.toRoom("2", seats(1));
    fanout.toRoom("2", seats(5), { volatile: true });
    await until("another room's last event has come", () => numbersHeard().includes(5));
    expect(numbersHeard()).to.deep.equal([1, 1, 5]);
  });

  it("comes once to a socket that wasn't busy", async () => {
    push(1, true);
    await until("it has come", () => numbersHeard().includes(1));
    push(2);
    push(3, true);
    await until("the last event has come", () => numbersHeard().includes(3));
    expect(numbersHeard()).to.deep.equal([1, 2, 3]);
  });
});
