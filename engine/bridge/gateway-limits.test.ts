import { expect } from "chai";
import { eventRate, floodPoints } from "#shared/contracts/client-events.ts";
import { closeCodes } from "#shared/contracts/close-codes.ts";
import { clock } from "#shared/kernel/clock.ts";
import { closeClients, codeOf, connectSocket, joinNative, joinVoiceRoom } from "#shared/testing/clients/clients.ts";
import { type BuiltRoom, type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { engine } from "../engine.ts";

describe("limits over Socket.IO", () => {
  const service = useService();
  useClock();
  let ada: BuiltUser;
  let room: BuiltRoom;
  beforeEach(async () => {
    [ada, room] = await Promise.all([buildUser(), buildRoom()]);
  });
  afterEach(closeClients);

  const inRoom = (more: object = {}) => ({ room_id: room.id, ...more });
  const enter = (person: BuiltUser, token = person.token) => joinVoiceRoom(service.url, token, room.id);

  it("limits the events of a user over all their connections, and not those of others", async () => {
    const [one, two, host] = [await enter(ada), await enter(ada), await enter(room.host)];
    const native = await joinNative(service.url, ada.token, { room_id: room.id });
    const clients = [one, two, native];
    const sync = inRoom({ since_seq: 0 });
    const context = engine() as { rateLimits: boolean };
    context.rateLimits = true;
    try {
      // A window of the count may end meanwhile: no window admits more.
      const asked = Array.from({ length: 3 * eventRate.points }, (_none, index) =>
        clients[index % 3]!.ask("room:sync", sync),
      );
      const codes = (await Promise.all(asked)).map(codeOf);
      const admitted = codes.filter((each) => each === "ok").length;
      expect(admitted).to.be.within(eventRate.points, 2 * eventRate.points);
      expect(codes.filter((each) => each === "RATE_LIMITED")).to.have.length(codes.length - admitted);
      expect(codeOf(await host.ask("room:sync", sync))).to.equal("ok");
    } finally {
      context.rateLimits = false;
    }
  });

  it("closes the connections of a user who floods, and admits them later", async () => {
    const [one, host] = [await enter(ada), await enter(room.host)];
    const native = await joinNative(service.url, ada.token, { room_id: room.id });
    const nowMs = clock.now();
    clock.now = () => nowMs;
    const context = engine() as { rateLimits: boolean };
    context.rateLimits = true;
    try {
      for (let sent = 0; sent < 2 * floodPoints; sent += 1) one.socket.emit("no such event", {});
      await one.inbox.next("disconnect");
      native.room.send("no such event", {});
      expect(await native.inbox.next("leave")).to.deep.equal({ code: closeCodes.flooded });

      const failure = await connectSocket(service.url, ada.token).catch(({ data }) => data.code);
      expect(failure).to.equal("RATE_LIMITED");
      expect(codeOf(await host.ask("room:sync", inRoom({ since_seq: 0 })))).to.equal("ok");
      clock.now = () => nowMs + eventRate.seconds * 1000;
      await connectSocket(service.url, ada.token);
    } finally {
      context.rateLimits = false;
    }
  });
});
