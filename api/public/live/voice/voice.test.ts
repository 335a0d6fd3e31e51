import { expect } from "chai";
import { TokenVerifier } from "livekit-server-sdk";
import { configureVoice } from "#shared/domain/live/voice/voice.config.ts";
import { startVoiceWorker } from "#shared/domain/live/voice/voice-worker.ts";
import { newId } from "#shared/kernel/ids.ts";
import { closeClients, connectSocket, type SocketClient } from "#shared/testing/clients/clients.ts";
import { offerTrack } from "#shared/testing/clients/offer-track.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { FakeLiveKit } from "#shared/testing/fakes/livekit/fake-livekit.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("voice", () => {
  const service = useService();
  let livekit: FakeLiveKit;
  let room: BuiltRoom;
  let ada: BuiltUser;
  let stopWorker: () => Promise<void>;

  const enter = async (user: BuiltUser): Promise<SocketClient> => {
    const client = await connectSocket(service.url, user.token);
    const joined = await client.ask("room:join", { room_id: room.id });
    expect(joined.success, JSON.stringify(joined.error)).to.equal(true);
    return client;
  };
  const askToken = (token?: string, roomId = room.id) =>
    service.call("post", `/rooms/${roomId}/voice-token`, { ...(token && { token }) });
  const connect = async (user: BuiltUser) => livekit.connect((await askToken(user.token)).body.data.token);
  const there = (user: BuiltUser) => livekit.participant(`room:${room.id}`, user.id);
  const speaks = (user: BuiltUser) => there(user)?.permission.canPublish ?? false;

  beforeEach(async () => {
    livekit = await FakeLiveKit.start();
    configureVoice(livekit.credentials, { callTimeoutMs: 300, retryMaxMs: 200, watchEveryMs: 100 });
    stopWorker = startVoiceWorker(service.actors);
    room = await buildRoom();
    ada = await buildUser({ full_name: "Ada Byron" });
  });
  afterEach(async () => {
    closeClients();
    await stopWorker();
    configureVoice(undefined);
    await livekit.stop();
  });

  it("issues members a token with the rights of their seat", async () => {
    await enter(room.host);
    await enter(ada);
    const verifier = new TokenVerifier(livekit.credentials.apiKey, livekit.credentials.apiSecret);
    for (const [user, canPublish] of [
      [room.host, true],
      [ada, false],
    ] as const) {
      const { status, body } = await askToken(user.token);
      expect(status).to.equal(200);
      expect(body.data).to.include({ wsUrl: livekit.credentials.url, roomName: `room:${room.id}` });
      const { sub, video } = await verifier.verify(body.data.token);
      expect({ sub, ...video }).to.include({ sub: user.id, roomJoin: true, room: `room:${room.id}`, canPublish });
    }
  });

  it("issues no token to others", async () => {
    await enter(room.host);
    const codeOf = async (answer: ReturnType<typeof askToken>) => {
      const { status, body } = await answer;
      return `${status} ${body.error.code}`;
    };
    expect(await codeOf(askToken())).to.equal("401 UNAUTHENTICATED");
    expect(await codeOf(askToken(ada.token))).to.equal("403 NOT_A_MEMBER");
    expect(await codeOf(askToken(ada.token, newId()))).to.equal("404 NOT_FOUND");
    await stopWorker();
    configureVoice(undefined);
    expect(await codeOf(askToken(room.host.token))).to.equal("503 VOICE_NOT_CONFIGURED");
    expect(await codeOf(askToken())).to.equal("401 UNAUTHENTICATED");
  });

  it("issues tokens with which LiveKit itself refuses a listener's audio", async () => {
    await enter(room.host);
    await enter(ada);
    const offer = async (user: BuiltUser) => offerTrack((await askToken(user.token)).body.data);
    expect(await offer(room.host)).to.equal("trackPublished");
    expect(await offer(ada)).to.equal("requestResponse");
  });

  it("follows the seat: approved, muted, removed, seated again", async () => {
    const host = await enter(room.host);
    const socket = await enter(ada);
    await connect(ada);
    const inRoom = (more: object = {}) => ({ room_id: room.id, ...more });
    const seat = async () => {
      const asked = await socket.ask("seat:request", inRoom({ seat_no: 2 }));
      await host.ask("seat:approve", inRoom({ request_id: asked.data.id }));
    };
    await seat();
    await until("she speaks", () => speaks(ada));
    await host.ask("seat:mute", inRoom({ seat_no: 2, muted: true }));
    await until("she is cut off", () => !speaks(ada));
    await host.ask("seat:mute", inRoom({ seat_no: 2, muted: false }));
    await until("she speaks again", () => speaks(ada));
    await host.ask("seat:lock", inRoom({ seat_no: 2, locked: true }));
    await until("she is cut off by the lock", () => !speaks(ada));
    await host.ask("seat:lock", inRoom({ seat_no: 2, locked: false }));
    await seat();
    await until("she speaks on the seat", () => speaks(ada));
    livekit.fail(2);
    await socket.ask("seat:leave", inRoom());
    await until("she has left the seat", () => !speaks(ada) && there(ada));
  });

  it("ends with a kick, a departure and the room", async () => {
    const host = await enter(room.host);
    const socket = await enter(ada);
    const refreshed = await (await connect(ada)).refreshedToken();
    await host.ask("room:kick", { room_id: room.id, user_id: ada.id, ban_minutes: 5 });
    await until("she is out", () => !there(ada));
    await livekit.connect(refreshed);
    await until("she is out again", () => !there(ada));
    expect((await askToken(ada.token)).body.error.code).to.equal("NOT_A_MEMBER");
    socket.close();

    const grace = await buildUser();
    const graces = await enter(grace);
    await connect(grace);
    await graces.ask("room:leave", { room_id: room.id });
    await until("she has left", () => !there(grace));

    await connect(room.host);
    await service.call("delete", `/rooms/${room.id}`, { token: room.host.token });
    await until("the room is deleted", () => !livekit.hasRoom(`room:${room.id}`));
    await until("its actor has ended", async () => {
      return (await askToken(room.host.token)).body.error.code === "ROOM_CLOSED";
    });
  });
});
