import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { pruneLobbies } from "#shared/domain/live/games/lobby-state.ts";
import { closeClients, connectSocket, type Payload } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { tendGames } from "./tend-games.ts";

describe("the job that tends games", () => {
  const service = useService();
  afterEach(closeClients);

  const open = async ({ token }: BuiltUser): Promise<string> =>
    (await service.call("post", "/games/lobbies", { token, body: { type: "memory" } })).body.data.id;
  const age = (id: string, minutes: number) =>
    query("UPDATE game_lobbies SET updated_at = now() - make_interval(mins => $2::int) WHERE id = $1", [id, minutes]);
  const statusOf = async (id: string) =>
    (await queryOne<{ status: string }>("SELECT status FROM game_lobbies WHERE id = $1", [id]))?.status;

  it("cancels lobbies without activity for 30 minutes, and notifies their players", async () => {
    const [ada, grace] = [await buildUser(), await buildUser()];
    const [idle, fresh] = [await open(ada), await open(grace)];
    await Promise.all([age(idle, 31), age(fresh, 29)]);
    const { inbox } = await connectSocket(service.url, ada.token);
    await tendGames(service.actors);
    expect([await statusOf(idle), await statusOf(fresh)]).to.deep.equal(["cancelled", "open"]);
    await inbox.next("lobby:updated", ({ lobby }: Payload) => lobby.id === idle && lobby.status === "cancelled");
    await tendGames(service.actors);
    expect(await statusOf(fresh)).to.equal("open");
  });

  it("forgets cancelled lobbies after a week", async () => {
    const [ada, grace] = [await buildUser(), await buildUser()];
    const [old, late] = [await open(ada), await open(grace)];
    await query("UPDATE game_lobbies SET status = 'cancelled' WHERE id = ANY($1::uuid[])", [[old, late]]);
    await Promise.all([age(old, 8 * 24 * 60), age(late, 6 * 24 * 60)]);
    expect(await pruneLobbies()).to.be.at.least(1);
    expect([await statusOf(old), await statusOf(late)]).to.deep.equal([undefined, "cancelled"]);
  });

  it("has the clock of a game run on whose actor is gone", async () => {
    const [ada, grace] = [await buildUser(), await buildUser()];
    const lobby_id = await open(ada);
    for (const [user, step] of [
      [grace, "join"],
      [grace, "ready"],
      [ada, "start"],
    ] as const)
      await service.call("post", `/games/lobbies/${lobby_id}/${step}`, { token: user.token, body: {} });
    const started = await queryOne<{ id: string }>("SELECT id FROM game_sessions WHERE lobby_id = $1", [lobby_id]);
    const id = started!.id;
    // State left by a killed process: a game without an actor, long past its deadline.
    await query(
      `UPDATE game_sessions SET epoch = epoch + 1, due_at = now() - interval '1 minute',
         state = jsonb_set(state, '{board,deadlineMs}', to_jsonb((extract(epoch FROM now()) * 1000)::bigint - 60000))
       WHERE id = $1`,
      [id],
    );
    const stale = await service.actors.game(id, callerOf(ada), "game:action", {
      action: { kind: "flip", card: 0 },
    });
    expect(stale).to.include({ ok: false, code: "ENGINE_UNAVAILABLE" });
    const turnOf = async () =>
      (await queryOne<{ next: number }>(
        "SELECT (state #>> '{board,next}')::int AS next FROM game_sessions WHERE id = $1",
        [id],
      ))!.next;
    expect(await turnOf()).to.equal(0);
    await until("a new actor plays", async () => {
      await tendGames(service.actors);
      return (await turnOf()) === 1;
    });
  });
});
