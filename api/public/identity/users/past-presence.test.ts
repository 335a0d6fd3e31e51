import { expect } from "chai";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

describe("past events between two users with a block", () => {
  const service = useService();
  afterEach(closeClients);

  const ask = async (method: string, path: string, { token }: BuiltUser, body?: object) =>
    (await service.call(method, path, { token, ...(body && { body }) })).body.data;

  /** The user's `is_online`, wherever their card is in the response. */
  async function seen(path: string, viewer: BuiltUser, { id }: BuiltUser): Promise<boolean[]> {
    const found: boolean[] = [];
    JSON.stringify(await ask("get", path, viewer), (_key, value) => {
      if (value?.id === id) found.push(value.is_online);
      return value;
    });
    return found;
  }

  it("hide whether the other user is online", async () => {
    const [ada, bob, gift] = await Promise.all([buildUser({ coins: 100 }), buildUser({ coins: 100 }), buildGift()]);
    const room = await buildRoom({ host: ada });
    for (const user of [ada, bob]) {
      const { inbox } = await connectSocket(service.url, user.token);
      await inbox.next("presence:update", ({ user_id }) => user_id === user.id);
      await ask("post", `/rooms/${room.id}/join`, user, {});
    }
    for (const [one, other] of [
      [ada, bob],
      [bob, ada],
    ] as const)
      await ask("post", `/rooms/${room.id}/gifts`, one, { gift_id: gift.id, recipient_id: other.id, quantity: 1 });
    await (await connectSocket(service.url, bob.token)).ask("room:message", { room_id: room.id, body: "Hello" });
    const { id: lobbyId } = await ask("post", "/games/lobbies", ada, { type: "ludo" });
    await ask("post", `/games/lobbies/${lobbyId}/join`, bob);
    await ask("post", `/games/lobbies/${lobbyId}/ready`, bob);
    await ask("post", `/games/lobbies/${lobbyId}/start`, ada);
    await ask("post", `/rooms/${room.id}/kick`, ada, { user_id: bob.id, ban_minutes: 10 });

    const [sent, received, games] = ["/gifts/transactions/sent", "/gifts/transactions/received", "/games/history"];
    const ofBob = [sent, received, games, `/rooms/${room.id}/messages`, `/rooms/${room.id}/bans`];
    const ofAda = [sent, received, games];
    const all = () =>
      Promise.all([
        ...ofBob.map((path) => seen(path, ada, bob)),
        ...ofAda.map((path) => seen(path, bob, ada)),
        ...ofAda.map((path) => seen(path, ada, ada)),
      ]);
    const [others, own] = [ofBob.length + ofAda.length, ofAda.length];
    expect(await all()).to.deep.equal(Array(others + own).fill([true]));
    await ask("post", `/users/${bob.id}/block`, ada);
    expect(await all()).to.deep.equal([...Array(others).fill([false]), ...Array(own).fill([true])]);
  });
});
