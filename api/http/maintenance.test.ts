import { expect } from "chai";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { callMatchmaker, closeClients, connectSocket, joinNative } from "#shared/testing/clients/clients.ts";
import { openRawWebSocket } from "#shared/testing/clients/raw-websocket.ts";
import { buildRoom, buildUser } from "#shared/testing/factories.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";

describe("maintenance", () => {
  const service = useService();
  afterEach(closeClients);

  it("rejects users over all transports, and only users", async () => {
    const { id, host } = await buildRoom();
    const client = await connectSocket(service.url, host.token);
    await changeSettings(adminCaller(), { maintenance_mode: true });
    try {
      const refused = await service.call("get", "/wallet", { token: host.token });
      expect(refused.status).to.equal(503);
      expect(refused.body.error.code).to.equal("MAINTENANCE");
      expect(refused.headers.get("retry-after")).to.equal("60");
      expect((await client.ask("room:join", { room_id: id })).error.code).to.equal("MAINTENANCE");
      const config = await service.call("get", "/config/public");
      expect(config.body.data.maintenance_mode).to.equal(true);
      expect(
        (await service.call("post", "/auth/logout", { body: { refreshToken: host.refreshToken } })).status,
      ).to.equal(200);
      expect((await fetch(`${service.url}/healthz`)).status).to.equal(200);
    } finally {
      await changeSettings(adminCaller(), { maintenance_mode: false });
    }
    expect((await service.call("get", "/config/public")).body.data.maintenance_mode).to.equal(false);
  });

  it("is the same at each door: no user enters a room, and a dropped member may return", async () => {
    const room = await buildRoom();
    const member = await joinNative(service.url, room.host.token, { room_id: room.id });
    const [ada, ben, cleo] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    const place = (method: string, { token }: { token: string }) =>
      callMatchmaker(service.url, method, { room_id: room.id }, token).then(({ body }) => body.error?.code ?? "ok");
    const doors: Record<string, { open: string; closed: string; enter: () => Promise<string> }> = {
      REST: {
        open: "ok",
        closed: "MAINTENANCE",
        enter: async () => (await service.call("get", "/wallet", { token: ada.token })).body.error?.code ?? "ok",
      },
      "Socket.IO": {
        open: "ok",
        closed: "MAINTENANCE",
        enter: async () => {
          const client = await connectSocket(service.url, ben.token);
          return (await client.ask("room:join", { room_id: room.id })).error?.code ?? "ok";
        },
      },
      join: { open: "ok", closed: "MAINTENANCE", enter: () => place("join/voice_room", cleo) },
      joinOrCreate: { open: "ok", closed: "MAINTENANCE", enter: () => place("joinOrCreate/voice_room", cleo) },
      joinById: { open: "ok", closed: "MAINTENANCE", enter: () => place(`joinById/${room.id}`, cleo) },
      create: { open: "VALIDATION_ERROR", closed: "MAINTENANCE", enter: () => place("create/voice_room", cleo) },
      "native reconnection": {
        open: "ok",
        closed: "ok",
        enter: async () => {
          member.room.reconnection.minUptime = 0;
          const returned = new Promise<string>((resolve) => member.room.onReconnect.once(() => resolve("ok")));
          member.room.connection.close(4010);
          return returned;
        },
      },
    };
    const entered = async () =>
      Object.fromEntries(
        await Promise.all(Object.entries(doors).map(async ([door, { enter }]) => [door, await enter()])),
      );
    const expected = (state: "open" | "closed") =>
      Object.fromEntries(Object.entries(doors).map(([door, outcome]) => [door, outcome[state]]));

    expect(await entered()).to.deep.equal(expected("open"));
    const dee = await buildUser();
    const { body: kept } = await callMatchmaker(service.url, "join/voice_room", { room_id: room.id }, dee.token);
    await changeSettings(adminCaller(), { maintenance_mode: true });
    try {
      expect(await entered()).to.deep.equal(expected("closed"));
      const late = await openRawWebSocket(service.url, `/${kept.processId}/${room.id}?sessionId=${kept.sessionId}`);
      await late.closed;
    } finally {
      await changeSettings(adminCaller(), { maintenance_mode: false });
    }
  });
});
