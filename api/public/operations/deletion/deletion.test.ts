import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { eraseUser } from "#shared/domain/operations/deletion/erase-user.ts";
import { deletionDays } from "#shared/domain/operations/deletion/request-deletion.ts";
import { daysMs, secondsMs } from "#shared/kernel/clock.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildPost, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { messagesTo } from "#shared/testing/mailbox.ts";
import { useService } from "#shared/testing/service.ts";
import { useClock } from "#shared/testing/use-clock.ts";

describe("POST /account/delete-request", () => {
  const service = useService();
  const clock = useClock();
  afterEach(closeClients);

  const ask = ({ token }: BuiltUser) => service.call("post", "/account/delete-request", { token });
  const login = ({ username, password }: BuiltUser) =>
    service.call("post", "/auth/login", { body: { identifier: username, password } });
  const get = (path: string, { token }: { token: string }) => service.call("get", path, { token });

  it("returns when the account will be erased, ends its sessions and closes its connections", async () => {
    const ada = await buildUser();
    const socket = await connectSocket(service.url, ada.token);
    const { status, body } = await ask(ada);
    expect([status, body.data.status]).to.deep.equal([200, "deletion_pending"]);
    expect(Date.parse(body.data.delete_at) - Date.now()).to.be.closeTo(daysMs(14), 60_000);
    await socket.inbox.next("disconnect", () => true, 1000);
    expect((await get("/users/me", ada)).status).to.equal(401);
    const refresh = await service.call("post", "/auth/refresh", { body: { refreshToken: ada.refreshToken } });
    expect(refresh.body.error.code).to.equal("REFRESH_TOKEN_INVALID");
    const [mail] = await messagesTo(ada.email);
    expect(mail?.subject).to.equal("Your Hubbub account will be deleted");
    expect(mail?.text).to.include(body.data.delete_at.slice(0, 10));
  });

  it("removes the user from their room", async () => {
    const { id: room_id, host } = await buildRoom();
    const ada = await buildUser();
    const [mine, hosts] = [await connectSocket(service.url, ada.token), await connectSocket(service.url, host.token)];
    for (const { ask: emit } of [hosts, mine]) expect((await emit("room:join", { room_id })).success).to.equal(true);
    await ask(ada);
    await hosts.inbox.next("room:participant_left", ({ user_id }) => user_id === ada.id);
  });

  it("creates one request out of many at once", async () => {
    const ada = await buildUser();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(ada)));
    const done = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.delete_at);
    expect(new Set(done).size).to.equal(1);
    for (const { status } of answers) expect([200, 401]).to.include(status);
    const jobs = await query("SELECT 1 FROM pgboss.job WHERE name = 'deletion.erase' AND data ->> 'user_id' = $1", [
      ada.id,
    ]);
    expect(jobs).to.have.length(1);
  });

  it("hides the user from others at once, and a login restores everything", async () => {
    const [ada, eve] = [await buildUser({ full_name: `Ada Wanderlust ${Date.now()}` }), await buildUser()];
    const post = await buildPost({ author: ada });
    await service.call("post", `/users/${ada.id}/follow`, { token: eve.token });
    const { full_name } = (await get("/users/me", ada)).body.data;
    const seen = async () => ({
      profile: (await get(`/users/${ada.id}`, eve)).status,
      post: (await get(`/posts/${post.id}`, eve)).status,
      found: (await get(`/users/search?q=${encodeURIComponent(full_name)}`, eve)).body.data.total,
      following: (await get("/users/me/following", eve)).body.data.total,
    });
    expect(await seen()).to.deep.equal({ profile: 200, post: 200, found: 1, following: 1 });
    await ask(ada);
    expect(await seen()).to.deep.equal({ profile: 404, post: 404, found: 0, following: 0 });
    expect((await service.call("post", `/users/${ada.id}/follow`, { token: eve.token })).status).to.equal(404);
    const peer = await service.call("post", "/conversations", { token: eve.token, body: { peer_id: ada.id } });
    expect(peer.status).to.equal(404);
    // After a login, it would be needless.
    await messagesTo(ada.email);

    const back = await login(ada);
    expect([back.status, back.body.data.user.status]).to.deep.equal([200, "active"]);
    expect(await seen()).to.deep.equal({ profile: 200, post: 200, found: 1, following: 1 });
    const [mail] = await messagesTo(ada.email, 2);
    expect(mail?.subject).to.equal("Your Hubbub account won't be deleted");
  });

  it("is cancelled by a login and by nothing else", async () => {
    const ada = await buildUser();
    await ask(ada);
    const wrong = await service.call("post", "/auth/login", {
      body: { identifier: ada.username, password: "wrong one" },
    });
    expect(wrong.status).to.equal(401);
    await service.call("post", "/auth/forgot-password", { body: { email: ada.email } });
    await messagesTo(ada.email, 2);
    const pending = () => query("SELECT 1 FROM users WHERE id = $1 AND status = 'deletion_pending'", [ada.id]);
    expect(await pending()).to.have.length(1);
    const both = await Promise.all([login(ada), login(ada)]);
    expect(both.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(await pending()).to.have.length(0);
    // The job of the cancelled request still runs.
    clock.forward(daysMs(deletionDays) + secondsMs(10));
    await eraseUser(ada.id, service.actors);
    expect(await query("SELECT 1 FROM users WHERE id = $1 AND status = 'active'", [ada.id])).to.have.length(1);
  });

  it("restarts its 14 days when requested again", async () => {
    const ada = await buildUser();
    await ask(ada);
    clock.forward(daysMs(10));
    const { accessToken } = (await login(ada)).body.data;
    expect((await service.call("post", "/account/delete-request", { token: accessToken })).status).to.equal(200);
    clock.forward(daysMs(10));
    await eraseUser(ada.id, service.actors);
    expect((await login(ada)).body.data.user.status).to.equal("active");
  });

  it("comes before or after a login, never beside it", async () => {
    for (let round = 0; round < 5; round += 1) {
      const ada = await buildUser();
      await ask(ada);
      clock.forward(daysMs(deletionDays) + secondsMs(10));
      const [{ status }] = await Promise.all([login(ada), eraseUser(ada.id, service.actors)]);
      const [row] = await query<{ status: string; sessions: number }>(
        `SELECT status, (SELECT count(*) FROM sessions WHERE user_id = users.id AND revoked_at IS NULL) AS sessions
         FROM users WHERE id = $1`,
        [ada.id],
      );
      if (status === 200) expect(row).to.deep.equal({ status: "active", sessions: 1 });
      else expect(row).to.deep.equal({ status: "deleted", sessions: 0 });
    }
  });
});
