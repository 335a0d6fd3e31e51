import { expect } from "chai";
import { service as servicePrincipal } from "#shared/contracts/principal.ts";
import { queryOne } from "#shared/db/query.ts";
import { registerDevice } from "#shared/domain/identity/devices/register-device.ts";
import { configurePush } from "#shared/domain/identity/push/push.config.ts";
import { activityPoints } from "#shared/domain/social/leaderboards/record-scores.ts";
import { listNotifications } from "#shared/domain/social/notifications/notifications.queries.ts";
import { notifyTurn } from "#shared/domain/social/notifications/notify-turn.ts";
import { contentOf } from "#shared/domain/social/notifications/push-contents.ts";
import { newId } from "#shared/kernel/ids.ts";
import { closeClients, connectSocket, type Payload, type SocketClient } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { FakeFcm } from "#shared/testing/fakes/fake-fcm.ts";
import { callerOf } from "#shared/testing/people.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { recordEvents } from "#shared/testing/record-events.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("the result of a game", () => {
  const service = useService();
  const published = usePublishedEvents();
  let ada: BuiltUser;
  let grace: BuiltUser;
  let adaSocket: SocketClient;
  let graceSocket: SocketClient;
  let fcm: FakeFcm;

  before(async () => {
    fcm = await FakeFcm.start();
    configurePush(fcm.config);
  });
  after(async () => {
    configurePush(undefined);
    await fcm.stop();
  });
  beforeEach(async () => {
    [ada, grace] = await Promise.all([buildUser(), buildUser()]);
    adaSocket = await connectSocket(service.url, ada.token);
    graceSocket = await connectSocket(service.url, grace.token);
  });
  afterEach(closeClients);

  async function begin(type: string): Promise<string> {
    const post = async ({ token }: BuiltUser, path: string, body: object = {}): Promise<Payload> =>
      (await service.call("post", `/games/lobbies${path}`, { token, body })).body.data;
    const { id } = await post(ada, "", { type });
    await post(grace, `/${id}/join`);
    await post(grace, `/${id}/ready`);
    return (await post(ada, `/${id}/start`)).session_id;
  }
  const pick = (client: SocketClient, session_id: string) =>
    client.ask("game:action", { session_id, action: { kind: "prompt_pick", prompt: "truth" } });

  it("is published: standings, the lobby's end, and points for having played", async () => {
    const session_id = await begin("truth_or_dare");
    for (let round = 0; round < 3; round += 1)
      for (const client of [adaSocket, graceSocket]) await pick(client, session_id);
    const [finished, ...more] = await published.of("game.finished", { session_id });
    expect(more).to.deep.equal([]);
    expect(finished).to.deep.include({ type: "truth_or_dare", status: "finished" });
    expect(finished!.standings).to.deep.equal([ada, grace].map(({ id }) => ({ user_id: id, score: 3, place: 1 })));
    await graceSocket.inbox.next("lobby:updated", ({ lobby }) => lobby.status === "finished");
    const scoreOf = async ({ id }: BuiltUser) => {
      const text = "SELECT score FROM leaderboard_scores WHERE scope = 'activity' AND subject_id = $1";
      return (await queryOne<{ score: number }>(text, [id]))?.score;
    };
    await until("both have points", async () => {
      const scores = await Promise.all([ada, grace].map(scoreOf));
      return scores.every((score) => score === activityPoints.game);
    });
  });

  it("notifies an absent player of their turn once until they are back", async () => {
    const push_token = `push-${newId()}`;
    await registerDevice(callerOf(grace), { platform: "android", device_uid: newId(), push_token });
    const session_id = await begin("truth_or_dare");
    const isSeen =
      (connected: boolean) =>
      ({ session_id: id, state }: Payload) =>
        id === session_id && state.players[1].connected === connected;
    const calls = async () => (await published.of("game.turn_waits", { session_id })).map(({ user_id }) => user_id);
    graceSocket.close();
    await adaSocket.inbox.next("game:state", isSeen(false), 9000);
    await pick(adaSocket, session_id);
    expect(await calls()).to.deep.equal([grace.id]);
    await until("the phone is told", () => fcm.taken.some(({ token }) => token === push_token));
    const told = fcm.taken.find(({ token }) => token === push_token);
    expect(told?.data).to.include({ type: "game_turn", session_id, user_id: ada.id });
    // By REST one acts without being there.
    const act = (body: object) =>
      service.call("post", `/games/sessions/${session_id}/action`, { token: grace.token, body });
    expect((await act({ kind: "prompt_pick", prompt: "dare" })).status).to.equal(200);
    await pick(adaSocket, session_id);
    expect(await calls()).to.deep.equal([grace.id]);
    const seenBefore = adaSocket.inbox.of("game:state").length;
    const back = await connectSocket(service.url, grace.token);
    const isBack = () => adaSocket.inbox.of("game:state").slice(seenBefore).some(isSeen(true));
    await until("she is back", isBack, 9000);
    await pick(back, session_id);
    expect(await calls()).to.deep.equal([grace.id]);
  });

  it("notifies no player when it is over", async () => {
    const session_id = await begin("truth_or_dare");
    const waits = { session_id, type: "truth_or_dare", user_id: grace.id, version: 1 } as const;
    const turn = async () => (await listNotifications(grace.id, { page: 1, limit: 1, unread: false })).items[0]!;
    await recordEvents(notifyTurn, waits);
    const { id: notification_id, body } = await turn();
    expect(body).to.equal("It's your turn in Truth or dare.");
    expect((await contentOf({ notification_id }))?.content).to.include({ body });
    await service.actors.game(session_id, servicePrincipal, "game:abandon", {});
    await until("it is taken back", async () => (await turn()).read_at !== null);
    expect(await contentOf({ notification_id })).to.equal(undefined);
    await recordEvents(notifyTurn, { ...waits, version: 2 });
    expect((await turn()).data.count).to.equal(1);
  });
});
