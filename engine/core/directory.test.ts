import { matchMaker } from "@colyseus/core";
import { expect } from "chai";
import { service as servicePrincipal } from "#shared/contracts/principal.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { closeClients, connectSocket, joinNative, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltRoom, type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { raiseEpoch } from "#shared/testing/raise-epoch.ts";
import { useService } from "#shared/testing/service.ts";
import { statementsOf } from "#shared/testing/statements.ts";
import { until } from "#shared/testing/until.ts";
import { engine } from "../engine.ts";
import type { AnyActorRoom } from "./any-actor-room.ts";
import { wheel } from "./wheel.ts";

const epochOf = async (roomId: string) =>
  (await queryOne<{ epoch: number }>("SELECT epoch FROM room_states WHERE room_id = $1", [roomId]))?.epoch;
/** As another process does that makes an actor for the room. */
const actorsCounted = async () => (await metrics.actors.get()).values.reduce((sum, { value }) => sum + value, 0);

describe("the directory", () => {
  const service = useService();
  afterEach(closeClients);

  it("creates one actor for twenty concurrent calls", async () => {
    const { id } = await buildRoom();
    const before = await actorsCounted();
    await Promise.all(Array.from({ length: 20 }, () => engine().directory.ensure("voice_room", id)));
    expect(await actorsCounted()).to.equal(before + 1);
    expect(await epochOf(id)).to.equal(1);
    expect(await matchMaker.query({ roomId: id } as never)).to.have.length(1);
  });

  it("says which step of making an actor took too long", async () => {
    const { id } = await buildRoom();
    const { driver } = matchMaker;
    const { insert } = driver;
    const answered = Promise.withResolvers<void>();
    driver.insert = async (...asked) => {
      await answered.promise;
      return insert!.apply(driver, asked);
    };

    const failure = await engine().directory.ensure("voice_room", id).catch(String);
    Object.assign(driver, { insert });
    answered.resolve();

    expect(failure).to.include(`voice_room ${id} was not made in time: creating it`);
    await until("it is there all the same", async () => (await matchMaker.query({ roomId: id } as never)).length === 1);
  });

  it("lets a new actor end only when Colyseus has listed it", async () => {
    const { id } = await buildRoom();
    const { driver, stats } = matchMaker;
    const { insert } = driver;
    const { roomCount } = stats.local;
    const made = new Set<AnyActorRoom>();
    const { add } = wheel;
    wheel.add = (actor) => {
      made.add(actor as AnyActorRoom);
      add.call(wheel, actor);
    };
    const answered = Promise.withResolvers<void>();
    driver.insert = async (...asked) => {
      await answered.promise;
      return insert!.apply(driver, asked);
    };

    const making = engine().directory.ensure("voice_room", id);
    await until("it is made", () => made.size === 1).finally(() => Object.assign(wheel, { add }));
    const [actor] = made;
    await raiseEpoch(id);
    const live = () => {
      for (let seconds = 0; seconds < 5; seconds += 1) wheel.turn(actor!);
    };
    live();
    // Longer than it would take to find the newer epoch.
    for (let queries = 0; queries < 5; queries += 1) await epochOf(id);
    answered.resolve();
    await making.finally(() => Object.assign(driver, { insert }));

    live();
    await actor!.ended;
    await until("nothing remains of it", () => stats.local.roomCount === roomCount);
    expect(await matchMaker.query({ roomId: id } as never)).to.deep.equal([]);
  });

  it("lets a leaving actor do nothing more, not for the service either", async () => {
    const { id } = await buildRoom();
    await engine().directory.ensure("voice_room", id);
    const actor = matchMaker.getLocalRoomById(id) as AnyActorRoom;
    actor.rejectAll();
    const told = await actor.perform({ principal: servicePrincipal, action: "room:view", input: {} });
    expect(told).to.include({ ok: false, code: "ENGINE_UNAVAILABLE", undone: true });
  });

  describe("with many rooms", () => {
    let ids: string[];
    beforeEach(async () => {
      ids = (await Promise.all(Array.from({ length: 20 }, () => buildRoom()))).map(({ id }) => id);
    });
    const load = () => Promise.all(ids.map((id) => engine().directory.ensure("voice_room", id)));

    it("loads those that are asked for together with a few statements", async () => {
      const statements = await statementsOf(load);
      expect(statements.length, statements.join("\n")).to.be.below(ids.length);
      expect(await Promise.all(ids.map(epochOf))).to.deep.equal(ids.map(() => 1));
    });

    it("finds with one statement which actors are no longer the newest", async () => {
      await load();
      const actors = ids.map((id) => matchMaker.getLocalRoomById(id) as AnyActorRoom);
      await raiseEpoch(ids[7]!);
      const statements = await statementsOf(async () => {
        for (const actor of actors) for (let seconds = 0; seconds < 5; seconds += 1) actor.tick();
        await until("one retires", () => actors.some(({ isEnding }) => isEnding));
      });
      expect(actors.filter(({ isEnding }) => isEnding)).to.deep.equal([actors[7]]);
      expect(statements.filter((text) => text.includes("epoch"))).to.have.length.at.most(1);
    });
  });

  it("asks an actor that is just being made", async () => {
    const { id, host } = await buildRoom();
    const making = engine().directory.ensure("voice_room", id);
    const present = { principal: servicePrincipal, action: "room:present", input: { user_ids: [host.id] } } as const;
    expect(await engine().directory.callIfAlive("voice_room", id, present)).to.deep.equal({
      ok: true,
      value: { present: [] },
    });
    await making;
  });

  it("creates one from the state of an older release that lacks a field", async () => {
    const { id, host } = await buildRoom();
    await query("INSERT INTO room_states (room_id, live) VALUES ($1, $2)", [id, JSON.stringify({ seats: [] })]);
    const ask = { principal: callerOf(host), action: "room:requests", input: {} } as const;
    expect(await engine().directory.call("voice_room", id, ask)).to.deep.equal({ ok: true, value: [] });
  });

  it("creates none for a room that is unknown or closed, and returns the error", async () => {
    const closed = await buildRoom();
    await query("UPDATE rooms SET status = 'closed' WHERE id = $1", [closed.id]);
    const before = await actorsCounted();
    const ask = (id: string) =>
      engine().directory.call("voice_room", id, {
        principal: servicePrincipal,
        action: "room:present",
        input: { user_ids: [] },
      });
    expect(await ask(newId())).to.include({ ok: false, code: "NOT_FOUND" });
    expect(await ask(closed.id)).to.include({ ok: false, code: "ROOM_CLOSED" });
    expect(
      await engine().directory.callIfAlive("voice_room", newId(), {
        principal: servicePrincipal,
        action: "room:view",
        input: {},
      }),
    ).to.equal(undefined);
    expect(await actorsCounted()).to.equal(before);
  });

  it("finds no lobby by the id of a room, alive or just being made", async () => {
    const { id, host } = await buildRoom();
    const making = engine().directory.ensure("voice_room", id);
    const join = { principal: callerOf(host), action: "lobby:join", input: {} } as const;
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await engine().directory.call("game_lobby", id, join)).to.include({ ok: false, code: "NOT_FOUND" });
      await making;
    }
  });

  describe("with an actor that is not the newest any more", () => {
    let room: BuiltRoom;
    let ada: BuiltUser;
    let host: SocketClient;
    let adaSocket: SocketClient;
    const ask = (client: SocketClient, event: string, more: object = {}) =>
      client.ask(event, { room_id: room.id, ...more });
    beforeEach(async () => {
      room = await buildRoom();
      ada = await buildUser();
      host = await connectSocket(service.url, room.host.token);
      adaSocket = await connectSocket(service.url, ada.token);
      for (const client of [host, adaSocket]) expect((await ask(client, "room:join")).success).to.equal(true);
      await ask(host, "seat:invite", { user_id: ada.id, seat_no: 4 });
      await ask(adaSocket, "seat:accept_invite");
    });

    const writes: Record<string, () => Promise<{ error: { code: string } }>> = {
      "a message": () => ask(adaSocket, "room:message", { body: "to an empty room" }),
      "a change of seats": () => ask(host, "seat:lock", { seat_no: 7, locked: true }),
      "a change of the room": async () =>
        (await service.call("patch", `/rooms/${room.id}`, { token: room.host.token, body: { name: "Other" } })).body,
    };
    for (const [what, write] of Object.entries(writes))
      it(`refuses ${what}, and has a successor that goes on from what was stored`, async () => {
        const old = matchMaker.getLocalRoomById(room.id);
        await raiseEpoch(room.id);
        expect((await write()).error.code).to.equal("ENGINE_UNAVAILABLE");
        const { body } = await service.call("get", `/rooms/${room.id}`, { token: room.host.token });
        expect(body.data.name).to.equal("Night owls");
        expect(body.data.seats[3].user.id).to.equal(ada.id);
        expect(body.data.seats[6].locked).to.equal(false);
        // Its members are taken along, which it announces.
        expect(Math.floor(body.data.seq / 2 ** 32)).to.equal(3);
        expect(await queryOne("SELECT 1 FROM room_messages WHERE room_id = $1", [room.id])).to.equal(undefined);
        const successor = matchMaker.getLocalRoomById(room.id);
        expect(successor).to.not.equal(old);
        expect((await ask(adaSocket, "room:join")).success).to.equal(true);
        expect((await write()).error).to.equal(undefined);
        expect(await epochOf(room.id)).to.equal(3);
      });

    it("counts a gift once that the successor has loaded and is then notified of", async () => {
      const giver = await buildUser({ coins: 50 });
      const gift = await buildGift({ price: 10 });
      const giverSocket = await connectSocket(service.url, giver.token);
      await ask(giverSocket, "room:join");
      const body = { gift_id: gift.id, recipient_id: ada.id, quantity: 2 };
      const sent = await service.call("post", `/rooms/${room.id}/gifts`, { token: giver.token, body });
      await host.inbox.next("gift:animation");
      // As if the old one had died before it was notified.
      await query(
        `INSERT INTO outbox_deliveries (topic, payload, slot, target, attempts, next_at, created_at)
         SELECT 'gift.sent', $1, 2, 'room:' || $2, 1, now() + interval '1 hour', now()`,
        [JSON.stringify({ transaction: sent.body.data }), room.id],
      );
      await raiseEpoch(room.id);
      await ask(host, "seat:lock", { seat_no: 7, locked: true });
      const received = async () => (await ask(host, "room:join")).data.seats[3].gifts_received;
      expect(await received()).to.equal(20);
      await query("UPDATE outbox_deliveries SET next_at = now()");
      await until("it is told again", () => host.inbox.of("gift:animation").length === 2);
      expect(await received()).to.equal(20);
    });

    it("keeps the successor in its place while native clients leave the old one", async () => {
      const natives = await Promise.all(
        Array.from({ length: 5 }, async () => joinNative(service.url, (await buildUser()).token, { room_id: room.id })),
      );
      const before = await actorsCounted();
      await raiseEpoch(room.id);
      await ask(host, "seat:lock", { seat_no: 7, locked: true });
      const calls = await Promise.all(Array.from({ length: 10 }, () => ask(host, "room:join")));
      expect(calls.every(({ success }) => success)).to.equal(true);
      const successor = matchMaker.getLocalRoomById(room.id);
      for (const { inbox } of natives) await inbox.next("leave");
      await until("the old one is gone", async () => (await actorsCounted()) === before);
      expect(matchMaker.getLocalRoomById(room.id)).to.equal(successor);
      expect(await matchMaker.query({ roomId: room.id } as never)).to.have.length(1);
      expect((await ask(host, "room:message", { body: "still here" })).success).to.equal(true);
      expect(await epochOf(room.id)).to.equal(3);
    });
  });
});
