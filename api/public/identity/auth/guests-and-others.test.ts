import { expect } from "chai";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { configureOpenId } from "#shared/domain/identity/sign-in/openid.config.ts";
import { newId } from "#shared/kernel/ids.ts";
import { allPages } from "#shared/testing/all-pages.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useOpenId } from "#shared/testing/fakes/fake-openid.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";

describe("guests and others", () => {
  const service = useService();
  const scene = useOpenId();
  before(async () => {
    const { issuer, clientId } = scene.provider;
    configureOpenId(["google", "line"].map((name) => ({ name, issuer, clientIds: [clientId] })));
    await changeSettings(adminCaller(), { guests_enabled: true });
  });
  after(async () => {
    configureOpenId([]);
    await changeSettings(adminCaller(), { guests_enabled: false });
  });
  afterEach(closeClients);

  const post = async (path: string, body: object = {}, token?: string) =>
    (await service.call("post", path, { body, ...(token && { token }) })).body;
  const get = async (path: string, token: string) => (await service.call("get", path, { token })).body.data;
  const proof = async (subject: string) => {
    const nonce = newId();
    return { id_token: await scene.provider.token(subject, nonce), nonce };
  };
  async function newGuest() {
    const { user, accessToken } = (await post("/auth/guest")).data;
    return { id: user.id as string, username: user.username as string, token: accessToken as string };
  }

  it("others find a guest by name only once they have become a user", async () => {
    const [ada, guest] = [await buildUser(), await newGuest()];
    const found = async (query: string) =>
      (await get(`/users/search${query}`, ada.token)).items.map(({ id }: { id: string }) => id);

    expect(await found(`?q=${guest.username}`)).not.to.include(guest.id);
    const suggested = await allPages(service.call, "/users/search", ada.token);
    expect(suggested.map(({ id }) => id)).not.to.include(guest.id);
    await post("/users/me/identities/google", await proof(newId()), guest.token);
    expect(await found(`?q=${guest.username}`)).to.include(guest.id);
  });

  it("others can't write to a guest, or send them a friend request", async () => {
    const [ada, guest] = [await buildUser(), await newGuest()];
    const conversation = await post("/conversations", { peer_id: guest.id }, ada.token);
    const request = await post(`/friends/${guest.id}/request`, {}, ada.token);
    expect([conversation.error?.code, request.error?.code]).to.deep.equal(["FORBIDDEN", "FORBIDDEN"]);
  });

  it("a host can't give a guest what guests may not have, over any connection", async () => {
    const [host, guest, ada] = [await buildUser(), await newGuest(), await buildUser()];
    const room = await buildRoom({ host });
    const hosting = await connectSocket(service.url, host.token);
    for (const { token } of [guest, ada])
      await (await connectSocket(service.url, token)).ask("room:join", { room_id: room.id });
    await hosting.ask("room:join", { room_id: room.id });
    const given = async (user_id: string) => {
      const role = { body: { role: "moderator" }, token: host.token };
      return [
        (await hosting.ask("room:role", { room_id: room.id, user_id, role: "moderator" })).error?.code,
        (await service.call("put", `/rooms/${room.id}/members/${user_id}/role`, role)).body.error?.code,
        (await hosting.ask("seat:invite", { room_id: room.id, user_id })).error?.code,
      ];
    };

    expect(await given(guest.id)).to.deep.equal(new Array(3).fill("GUEST_NOT_ALLOWED"));
    expect(await given(ada.id)).to.deep.equal([undefined, undefined, undefined]);
    expect((await get(`/rooms/${room.id}/members`, host.token)).items).to.have.length(3);
  });

  it("sessions say how they were opened", async () => {
    const way = async (token: string) =>
      (await get("/auth/sessions", token)).items.map((session: { way: string }) => session.way);
    const subject = newId();
    const [google, line] = [
      (await post("/auth/google", await proof(subject))).data,
      (await post("/auth/oidc/line", await proof(subject))).data,
    ];
    const ada = await buildUser();

    expect([
      await way(google.accessToken),
      await way(line.accessToken),
      await way((await newGuest()).token),
      await way(ada.token),
    ]).to.deep.equal([["google"], ["oidc:line"], ["guest"], ["password"]]);
  });
});
