import { expect } from "chai";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

describe("/friends", () => {
  const service = useService();
  let ada: BuiltUser;
  let bob: BuiltUser;
  beforeEach(async () => {
    [ada, bob] = await Promise.all([buildUser(), buildUser()]);
  });

  const call = (method: string, path: string, { token }: BuiltUser) => service.call(method, path, { token });
  const ask = (from: BuiltUser, to: BuiltUser) => call("post", `/friends/${to.id}/request`, from);
  const itemsOn = async (path: string, user: BuiltUser) => (await call("get", path, user)).body.data.items;

  it("sends, lists on both sides, accepts and ends", async () => {
    const asked = await ask(ada, bob);
    expect(asked.status).to.equal(201);
    const { id } = asked.body.data;
    expect(asked.body.data).to.deep.include({ status: "pending" });
    expect(await itemsOn("/friends/requests", bob)).to.deep.equal([asked.body.data]);
    expect(await itemsOn("/friends/requests/sent", ada)).to.deep.equal([asked.body.data]);
    expect(await itemsOn("/friends/requests", ada)).to.deep.equal([]);
    expect((await ask(ada, bob)).body.error.code).to.equal("REQUEST_ALREADY_PENDING");
    const accepted = await call("post", `/friends/requests/${id}/accept`, bob);
    expect([accepted.status, accepted.body.data.status]).to.deep.equal([200, "accepted"]);
    const friends = await call("get", "/friends?page=1&limit=10", ada);
    expect(friends.body.data).to.include({ page: 1, limit: 10, total: 1, total_pages: 1 });
    expect(friends.body.data.items[0]).to.include({ id: bob.id });
    expect((await ask(bob, ada)).body.error.code).to.equal("CONFLICT");
    expect((await call("get", `/users/${bob.id}`, ada)).body.data.friend_status).to.equal("friends");
    const ended = await call("delete", `/friends/${ada.id}`, bob);
    expect(ended.body.data).to.include({ user_id: ada.id, friend_status: "none" });
    expect(await itemsOn("/friends", ada)).to.deep.equal([]);
  });

  it("accepts by a request in return, with 200", async () => {
    await ask(ada, bob);
    const back = await ask(bob, ada);
    expect([back.status, back.body.data.status]).to.deep.equal([200, "accepted"]);
    expect(await itemsOn("/friends", bob)).to.have.length(1);
  });

  it("lets the recipient reject and the sender cancel, and another request follow", async () => {
    const first = (await ask(ada, bob)).body.data.id;
    const stranger = await buildUser();
    for (const [method, end] of [
      ["post", "/accept"],
      ["post", "/reject"],
      ["delete", ""],
    ] as const) {
      const codeFor = async (user: BuiltUser, id = first) =>
        (await call(method, `/friends/requests/${id}${end}`, user)).body.error?.code;
      expect(await codeFor(stranger)).to.equal("NOT_FOUND");
      expect(await codeFor(ada, newId())).to.equal("NOT_FOUND");
      expect(await codeFor(method === "delete" ? bob : ada)).to.equal("FORBIDDEN");
    }
    expect((await call("post", `/friends/requests/${first}/reject`, bob)).body.data.status).to.equal("rejected");
    expect((await call("post", `/friends/requests/${first}/accept`, bob)).body.error.code).to.equal(
      "REQUEST_NOT_PENDING",
    );
    const second = (await ask(ada, bob)).body.data.id;
    expect((await call("delete", `/friends/requests/${second}`, ada)).body.data.status).to.equal("cancelled");
    expect(await itemsOn("/friends/requests", bob)).to.deep.equal([]);
  });

  it("rejects requests to users who accept none, to unknown users and to yourself", async () => {
    const body = { privacy: { allow_friend_requests: "nobody" } };
    await service.call("patch", "/users/me/settings", { token: bob.token, body });
    expect((await ask(ada, bob)).body.error.code).to.equal("FORBIDDEN");
    expect((await ask(ada, ada)).body.error.code).to.equal("FORBIDDEN");
    const unknown = await call("post", `/friends/${newId()}/request`, ada);
    expect([unknown.status, unknown.body.error.code]).to.deep.equal([404, "NOT_FOUND"]);
  });
});
