import { expect } from "chai";
import { metrics } from "#shared/kernel/metrics.ts";
import { closeClients, connectSocket, type SocketClient } from "#shared/testing/clients/clients.ts";
import { openRawWebSocket, type RawWebSocket } from "#shared/testing/clients/raw-websocket.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

const connectionsCut = async () =>
  (await metrics.connectionsCut.get()).values.find(({ labels }) => labels.reason === "slow_reader")?.value ?? 0;

describe("a reader who does not read", function () {
  this.timeout(30_000);
  const service = useService();
  let room: BuiltRoom;
  let ada: BuiltUser;
  let host: SocketClient;
  beforeEach(async () => {
    [room, ada] = await Promise.all([buildRoom(), buildUser()]);
    host = await connectSocket(service.url, room.host.token);
    await host.ask("room:join", { room_id: room.id });
    // Long enough for answers of half a megabyte to `room:sync`.
    const body = "x".repeat(1000);
    await Promise.all(Array.from({ length: 400 }, () => host.ask("room:message", { room_id: room.id, body })));
  });
  afterEach(closeClients);

  const members = async () =>
    (await service.call("get", `/rooms/${room.id}`, { token: room.host.token })).body.data.members.length;

  /** Lets answers to `ask` wait for the reader until it is cut; others go on meanwhile. */
  async function untilCut(reader: RawWebSocket, ask: () => void): Promise<void> {
    const before = await connectionsCut();
    reader.pause();
    let asked = 0;
    await until(
      "the client is disconnected",
      async () => {
        // The network takes some megabytes before anything waits here.
        if (asked < 60) ask();
        asked += 1;
        const answer = await host.ask("room:message", { room_id: room.id, body: "others go on" });
        expect(answer.success).to.equal(true);
        return (await connectionsCut()) === before + 1;
      },
      15_000,
    );
    reader.close();
    expect((await service.call("get", `/rooms/${room.id}`, { token: room.host.token })).status).to.equal(200);
    expect(await members()).to.equal(2);
    expect((await metrics.connections.get()).values.every(({ value }) => value >= 0)).to.equal(true);
  }

  it("is cut by Socket.IO, while others go on", async () => {
    const reader = await openRawWebSocket(service.url, "/socket.io/?EIO=4&transport=websocket");
    reader.send(`40${JSON.stringify({ token: ada.token })}`);
    await reader.heard('40{"sid"');
    reader.send(`420["room:join",{"room_id":"${room.id}"}]`);
    await reader.heard('430[{"success":true');
    await untilCut(reader, () => reader.send(`421["room:sync",{"room_id":"${room.id}","since_seq":${2 ** 32}}]`));
  });

  it("is cut by the native transport, while others go on", async () => {
    const response = await fetch(`${service.url}/matchmake/join/voice_room`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${ada.token}` },
      body: JSON.stringify({ room_id: room.id }),
    });
    const { processId, sessionId } = (await response.json()) as { processId: string; sessionId: string };
    const reader = await openRawWebSocket(service.url, `/${processId}/${room.id}?sessionId=${sessionId}`);
    await reader.heard("schema");
    reader.send(Uint8Array.of(10));
    const since = Buffer.alloc(9, 0xcb);
    since.writeDoubleBE(2 ** 32, 1);
    const request = Buffer.concat([
      Buffer.from([21, 1, 0xa9]),
      Buffer.from("room:sync"),
      Buffer.from([0x81, 0xa9]),
      Buffer.from("since_seq"),
      since,
    ]);
    await untilCut(reader, () => reader.send(request));
  });
});
