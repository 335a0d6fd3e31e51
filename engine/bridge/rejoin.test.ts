import { matchMaker } from "@colyseus/core";
import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { outsideTransaction } from "#shared/db/sequelize.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import {
  closeClients,
  codeOf,
  joinVoiceRoom,
  type Payload,
  type SocketClient,
} from "#shared/testing/clients/clients.ts";
import { buildVoiceScene } from "#shared/testing/clients/voice-scene.ts";
import { type BuiltRoom, type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { raiseEpoch } from "#shared/testing/raise-epoch.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import type { AnyActorRoom } from "../core/any-actor-room.ts";
import { engine } from "../engine.ts";

describe("a room whose actor is replaced", () => {
  const service = useService();
  let room: BuiltRoom;
  let ada: BuiltUser;
  let hostSocket: SocketClient;
  let adaSocket: SocketClient;

  beforeEach(async () => {
    ({ room, ada, hostSocket, adaSocket } = await buildVoiceScene(service.url));
  });
  afterEach(closeClients);

  const untilReplaced = () =>
    until(
      "there is a new actor",
      async () => (await hostSocket.ask("room:message", { room_id: room.id, body: "hm" })).success,
    );

  const sitDown = async () => {
    await hostSocket.ask("seat:invite", { room_id: room.id, user_id: ada.id });
    await adaSocket.ask("seat:accept_invite", { room_id: room.id });
  };
  const connected = async (): Promise<string[]> => {
    const { body } = await service.call("get", `/rooms/${room.id}`, { token: room.host.token });
    return body.data.members.filter((member: Payload) => member.connected).map(({ user }: Payload) => user.id);
  };
  const untilConnected = (...people: BuiltUser[]) =>
    until("they are connected", async () => {
      const there = await connected();
      return people.every(({ id }) => there.includes(id));
    });

  it("keeps a silent member on a seat, also when they could not be taken along at once", async () => {
    await sitDown();
    const { directory } = engine();
    const { call } = directory;
    let failures = 0;
    directory.call = (async (...asked: Parameters<typeof call>) => {
      const { action, principal } = asked[2];
      const isHers = principal.kind === "user" && principal.userId === ada.id;
      if (action !== "room:rejoin" || !isHers || failures === 2) return call.apply(directory, asked);
      failures += 1;
      return { ok: false, ...new DomainError("ENGINE_UNAVAILABLE").toFailure() };
    }) as typeof call;

    try {
      await raiseEpoch(room.id);
      await untilReplaced();
      await untilConnected(ada);
    } finally {
      directory.call = call;
    }
    expect(failures).to.equal(2);
  });

  it("calls its members again, if the news of the new actor was lost", async () => {
    await sitDown();
    const listener = await buildUser();
    await joinVoiceRoom(service.url, listener.token, room.id);
    const { fanout } = engine();
    const { actorBegan } = fanout;
    let lost = 0;
    fanout.actorBegan = () => {
      fanout.actorBegan = actorBegan;
      lost += 1;
    };

    await raiseEpoch(room.id);
    await untilReplaced();
    await until("the news is lost", () => lost === 1);
    const actor = matchMaker.getLocalRoomById(room.id) as AnyActorRoom;
    for (let second = 0; second < 5; second += 1) actor.tick();

    await untilConnected(room.host, ada, listener);
  });

  it("counts a member who acts as connected, though the news of the new actor was lost", async () => {
    await sitDown();
    const { fanout } = engine();
    const { actorBegan } = fanout;
    fanout.actorBegan = () => {};
    try {
      await raiseEpoch(room.id);
      await untilReplaced();
      expect(await connected()).to.deep.equal([room.host.id]);

      expect((await adaSocket.ask("room:message", { room_id: room.id, body: "hi" })).success).to.equal(true);
      expect(await connected()).to.have.members([room.host.id, ada.id]);
    } finally {
      fanout.actorBegan = actorBegan;
    }

    adaSocket.close();
    await until("she is away", async () => !(await connected()).includes(ada.id));
  });

  it("calls those again whose process only seemed dead", async () => {
    const actor = matchMaker.getLocalRoomById(room.id) as AnyActorRoom;
    const { directory } = engine();
    const { hasDied } = directory;
    await directory.call("voice_room", room.id, {
      principal: callerOf(ada),
      action: "room:rejoin",
      input: {},
      connection: { id: adaSocket.socket.id!, processId: "another", transport: "socket" },
    });
    directory.hasDied = async () => true;
    try {
      await until("her connection is dropped", async () => {
        actor.tick();
        return !(await connected()).includes(ada.id);
      });
    } finally {
      directory.hasDied = hasDied;
    }
    for (let second = 0; second < 5; second += 1) actor.tick();

    await untilConnected(ada);
  });

  it("ends an old actor that doesn't know of the new one", async () => {
    await sitDown();
    const old = matchMaker.getLocalRoomById(room.id);

    await raiseEpoch(room.id);
    engine().fanout.actorBegan({ roomId: room.id, epoch: 2 });

    await until("there is a new actor", () => ![undefined, old].includes(matchMaker.getLocalRoomById(room.id)));
    await untilConnected(room.host, ada);
  });

  it("is one whose actor doesn't know whether a message was stored", async () => {
    const endInsert = () =>
      outsideTransaction(() =>
        query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
             AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO room_messages%'`,
        ),
      );
    let answer: Promise<Payload>;
    await inTransaction(async (tx) => {
      await tx.query("SELECT FROM users WHERE id = $1 FOR UPDATE", [ada.id]);
      answer = adaSocket.ask("room:message", { room_id: room.id, body: "Was that stored?" });
      await until("its connection is cut", async () => (await endInsert()).length > 0);
    });

    expect(codeOf(await answer!)).to.equal("ENGINE_UNAVAILABLE");
    await untilReplaced();
    expect(await query("SELECT epoch FROM room_states WHERE room_id = $1", [room.id])).to.deep.equal([{ epoch: 2 }]);
  });
});
