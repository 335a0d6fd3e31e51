import { expect } from "chai";
import { service as serviceItself } from "#shared/contracts/principal.ts";
import { suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
import { findSession } from "#shared/domain/live/games/session-state.ts";
import { newId } from "#shared/kernel/ids.ts";
import { closeClients, connectSocket, type Payload, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { block } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { engine } from "../engine.ts";
import { eventConsumers } from "./reactions.ts";

describe("reactions to domain events", () => {
  const service = useService();
  let ada: BuiltUser;
  let grace: BuiltUser;
  let adaSocket: SocketClient;
  let graceSocket: SocketClient;

  beforeEach(async () => {
    [ada, grace] = await Promise.all([buildUser(), buildUser()]);
    adaSocket = await connectSocket(service.url, ada.token);
    graceSocket = await connectSocket(service.url, grace.token);
  });
  afterEach(closeClients);

  const post = async ({ token }: BuiltUser, path: string, body: object = {}) =>
    (await service.call("post", `/games/lobbies${path}`, { token, body })).body.data;

  /** A lobby of Ada's that Grace has joined and is ready in. */
  async function open(room_id?: string): Promise<string> {
    const { id } = await post(ada, "", { type: "memory", ...(room_id && { room_id }) });
    await post(grace, `/${id}/join`);
    await post(grace, `/${id}/ready`);
    return id;
  }

  it("ends a game that starts while its room closes", async () => {
    const room = await buildRoom({ host: ada });
    for (const client of [adaSocket, graceSocket]) await client.ask("room:join", { room_id: room.id });
    const lobbyId = await open(room.id);
    const { directory } = engine();
    const { pass } = directory;
    let sessionId = "";
    // Between the look at the room's lobbies and their end.
    directory.pass = async (...asked) => {
      const [, id, { action }] = asked;
      if (action === "lobby:cancel") sessionId = (await post(ada, `/${id}/start`)).session_id;
      return pass.apply(directory, asked);
    };
    try {
      await eventConsumers.push({ topic: "room.closed", payload: { room_id: room.id } }, `room:${room.id}`);
    } finally {
      directory.pass = pass;
    }
    expect((await findSession(sessionId))?.lobby_id).to.equal(lobbyId);
    expect((await findSession(sessionId))?.status).to.equal("abandoned");
  });

  it("shows gifts that waited for a room in their order, each once, and counts them at the seat", async () => {
    const gift = await buildGift({ price: 10 });
    const room = await buildRoom({ host: ada });
    for (const client of [adaSocket, graceSocket]) await client.ask("room:join", { room_id: room.id });
    await adaSocket.ask("seat:invite", { room_id: room.id, user_id: grace.id, seat_no: 1 });
    await graceSocket.ask("seat:accept_invite", { room_id: room.id });
    const seated = async () => (await graceSocket.ask("room:join", { room_id: room.id })).data.seats[0];
    const { user } = await seated();
    const transactions = [1, 2, 3].map((quantity) => ({
      ...{ id: newId(), room_id: room.id, gift, quantity, total_coins: 10 * quantity },
      ...{ sender: { ...user, id: ada.id }, recipient: user, created_at: new Date().toISOString() },
    }));
    const show = (numbers: readonly number[]) =>
      eventConsumers.pushBatch?.("gift.sent")?.(
        numbers.map((number) => ({ transaction: transactions[number] })) as never[],
        `room:${room.id}`,
      );
    await show([0]);
    await show([0, 1, 1, 2]);

    await graceSocket.inbox.next("gift:animation", ({ quantity }) => quantity === 3);
    const shown = graceSocket.inbox.of("gift:animation").map(({ quantity, combo }) => [quantity, combo]);
    expect(shown).to.deep.equal([1, 2, 3].map((number) => [number, number]));
    expect((await seated()).gifts_received).to.equal(60);
  });

  const players = ({ lobby }: Payload) => lobby.players.map(({ user }: { user: { id: string } }) => user.id);

  for (const [who, blocker, blocked] of [
    ["its host", () => ada, () => grace],
    ["the other one", () => grace, () => ada],
  ] as const)
    it(`removes a user from a lobby whom a block parts from its host, by ${who}`, async () => {
      const lobbyId = await open();
      const blocks = await service.call("post", `/users/${blocked().id}/block`, { token: blocker().token, body: {} });
      expect(blocks.status).to.equal(200);
      const without = (event: Payload) => event.lobby.id === lobbyId && players(event).join() === ada.id;
      await adaSocket.inbox.next("lobby:updated", without);
      await graceSocket.inbox.next("lobby:updated", without);
      const refused = await service.call("post", `/games/lobbies/${lobbyId}/start`, { token: ada.token, body: {} });
      expect(refused.body.error.code).to.equal("NOT_ENOUGH_PLAYERS");
    });

  it("removes a user from a lobby who is blocked while joining", async () => {
    const room = await buildRoom({ host: ada });
    for (const client of [adaSocket, graceSocket]) await client.ask("room:join", { room_id: room.id });
    const { id } = await post(ada, "", { type: "memory", room_id: room.id });
    const { directory } = engine();
    const { pass } = directory;
    // Between the check and the join.
    directory.pass = async (...asked) => {
      if (asked[2].action === "room:present") await block(ada, grace);
      return pass.apply(directory, asked);
    };
    try {
      const refused = await service.call("post", `/games/lobbies/${id}/join`, { token: grace.token, body: {} });
      expect(refused.body.error?.code).to.equal("BLOCKED");
    } finally {
      directory.pass = pass;
    }
    const { body } = await service.call("get", `/games/lobbies/${id}`, { token: ada.token });
    expect(players({ lobby: body.data })).to.deep.equal([ada.id]);
  });

  it("removes a suspended user from their lobbies, and cancels those they host", async () => {
    const joined = await open();
    const { id: own } = await post(grace, "", { type: "memory" });
    await post(ada, `/${own}/join`);
    // She was alone in it before too.
    const earlier = new Set(adaSocket.inbox.of("lobby:updated"));
    await suspendUser(serviceItself, grace.id, { reason: "spam" });
    const isAlone = (event: Payload) => event.lobby.id === joined && players(event).join() === ada.id;
    await adaSocket.inbox.next("lobby:updated", (event) => isAlone(event) && !earlier.has(event));
    await adaSocket.inbox.next("lobby:updated", ({ lobby }) => lobby.id === own && lobby.status === "cancelled");
  });
});
