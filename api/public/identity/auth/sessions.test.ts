import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

describe("sessions by REST", () => {
  const service = useService();
  afterEach(closeClients);

  /** Logs in on another device. */
  async function another({ username, password }: BuiltUser, userAgent = "Hubbub/1.0 (Android 16)") {
    const body = { identifier: username, password };
    const answer = await service.call("post", "/auth/login", { body, headers: { "user-agent": userAgent } });
    const { accessToken, refreshToken } = answer.body.data;
    return { token: accessToken as string, refreshToken: refreshToken as string };
  }
  const list = async (token: string, page = "") =>
    (await service.call("get", `/auth/sessions${page}`, { token })).body.data;
  const end = (token: string, id: string) => service.call("delete", `/auth/sessions/${id}`, { token });

  it("are listed most recently used first, with their user agent and which one is current", async () => {
    const ada = await buildUser();
    const phone = await another(ada);
    const listed = await list(ada.token);
    expect(listed).to.include({ page: 1, limit: 20, total: 2, total_pages: 1 });
    expect(
      listed.items.map((item: { user_agent: string; is_current: boolean }) => [item.user_agent, item.is_current]),
    ).to.deep.equal([
      ["Hubbub/1.0 (Android 16)", false],
      ["tests", true],
    ]);
    expect(Date.parse(listed.items[0].expires_at) - Date.now()).to.be.closeTo(30 * 86_400_000, 60_000);
    await service.call("post", "/auth/refresh", { body: { refreshToken: ada.refreshToken } });
    expect((await list(phone.token)).items[0]).to.include({ user_agent: "tests", is_current: false });
    expect((await list(phone.token, "?page=2&limit=1")).items[0]).to.include({ is_current: true });
  });

  it("are not listed after they have ended or expired", async () => {
    const ada = await buildUser();
    const [out, old] = [await another(ada), await another(ada)];
    await service.call("post", "/auth/logout", { body: { refreshToken: out.refreshToken } });
    const oldest = (await list(old.token)).items.find((item: { is_current: boolean }) => item.is_current);
    await query("UPDATE sessions SET last_used_at = now() - interval '31 days' WHERE id = $1", [oldest.id]);
    expect((await list(ada.token)).items.map(({ id }: { id: string }) => id)).to.deep.equal([ada.sessionId]);
  });

  it("end from another device: tokens are rejected and connections closed within a second", async () => {
    const ada = await buildUser();
    const phone = await another(ada);
    const socket = await connectSocket(service.url, phone.token);
    const here = await connectSocket(service.url, ada.token);
    const { id } = (await list(phone.token)).items.find((item: { is_current: boolean }) => item.is_current);
    expect((await end(ada.token, id)).status).to.equal(200);
    await socket.inbox.next("disconnect", () => true, 1000);
    expect((await service.call("get", "/auth/me", { token: phone.token })).status).to.equal(401);
    const refreshed = await service.call("post", "/auth/refresh", { body: { refreshToken: phone.refreshToken } });
    expect(refreshed.body.error.code).to.equal("REFRESH_TOKEN_INVALID");
    expect(here.socket.connected).to.equal(true);
    const again = await end(ada.token, id);
    expect([again.status, again.body.error.code]).to.deep.equal([404, "NOT_FOUND"]);
  });

  it("can end themselves", async () => {
    const ada = await buildUser();
    expect((await end(ada.token, ada.sessionId)).status).to.equal(200);
    expect((await service.call("get", "/auth/sessions", { token: ada.token })).status).to.equal(401);
  });

  it("of others are not found", async () => {
    const [ada, eve] = [await buildUser(), await buildUser()];
    for (const id of [ada.sessionId, newId()]) expect((await end(eve.token, id)).body.error.code).to.equal("NOT_FOUND");
    expect((await service.call("get", "/auth/me", { token: ada.token })).status).to.equal(200);
  });
});
