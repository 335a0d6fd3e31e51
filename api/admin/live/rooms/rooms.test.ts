import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { buildRoom } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("rooms, for administrators", () => {
  const service = useService();
  let admin: BuiltAdmin;
  before(async () => {
    admin = await buildAdmin(["rooms.read", "rooms.write"]);
  });
  afterEach(closeClients);

  const call = (method: string, path: string, body?: object) =>
    service.admin(method, path, { token: admin.token, ...(body && { body }) });
  const codeOf = async (...args: Parameters<typeof call>) => (await call(...args)).body.error?.code ?? "ok";

  /** A private room with its host in it, who sits. */
  async function scene() {
    const name = `Owls ${newId().slice(-12)}`;
    const room = await buildRoom({ name, is_private: true });
    const host = await connectSocket(service.url, room.host.token);
    await host.ask("room:join", { room_id: room.id });
    return { room, host, name };
  }

  it("are listed with their live figures, and shown with members and seats", async () => {
    const { room, name } = await scene();
    const empty = await buildRoom({ name: `${name} too` });
    const list = async (filter: string) =>
      (await call("get", `/rooms?q=${encodeURIComponent(name.toUpperCase())}&${filter}`)).body.data.items;

    await until("the room counts its member", async () => (await list("live=true"))[0]?.member_count === 1);
    const [live] = await list("live=true");
    const { data } = (await call("get", `/rooms/${room.id}`)).body;

    expect(live).to.include({ id: room.id, seated_count: 1, is_private: true, host_id: room.host.id });
    expect(live.process_id).to.be.a("string");
    expect((await list("")).map(({ id }: { id: string }) => id)).to.deep.equal([empty.id, room.id]);
    expect((await list("sort=name")).map(({ id }: { id: string }) => id)).to.deep.equal([room.id, empty.id]);
    expect(await list("status=closed")).to.deep.equal([]);
    expect(data.live.members.map(({ user }: { user: { id: string } }) => user.id)).to.deep.equal([room.host.id]);
    expect(data.live.seats[0].user.id).to.equal(room.host.id);
    expect(data).to.include({ member_count: 1, seated_count: 1, process_id: live.process_id });
    expect(await codeOf("get", `/rooms/${newId()}`)).to.equal("NOT_FOUND");
  });

  it("are changed at either address, and the audit log keeps nothing that the host has written", async () => {
    const { room, host, name } = await scene();
    const change = { name: "Renamed", category: "games", password: "open sesame" };

    const { data } = (await call("patch", `/rooms/${room.id}`, change)).body;
    expect(data).to.include({ name: "Renamed", category: "games", has_password: true });
    expect((await host.inbox.next("room:updated")).room).to.include({ name: "Renamed" });
    const asUsers = { token: admin.token, body: { is_private: false } };
    expect((await service.call("patch", `/rooms/${room.id}`, asUsers)).body.data.is_private).to.equal(false);

    const entries = await query("SELECT action, before, after FROM audit_log WHERE target_id = $1 ORDER BY id", [
      room.id,
    ]);
    expect(entries).to.deep.equal([
      {
        action: "room.update",
        before: { category: "chat" },
        after: { name: "Renamed", category: "games", password: "(not recorded)" },
      },
      { action: "room.update", before: { is_private: true }, after: { is_private: false } },
    ]);
    expect(JSON.stringify(entries)).to.not.include(name);
    expect(await codeOf("patch", `/rooms/${room.id}`, { category: "no such" })).to.equal("VALIDATION_ERROR");
    expect(await codeOf("patch", `/rooms/${newId()}`, { name: "Nowhere" })).to.equal("NOT_FOUND");
  });

  it("are closed at the users' address, too", async () => {
    const { room, host } = await scene();
    const { body } = await service.call("delete", `/rooms/${room.id}`, { token: admin.token });
    expect(body.data).to.include({ id: room.id, status: "closed" });
    expect(await host.inbox.next("room:closed")).to.include({ reason: "closed by an administrator" });
  });

  it("are closed once, with the reason told to members and the audit entry of the actor", async () => {
    const { room, host } = await scene();
    const close = () => codeOf("post", `/rooms/${room.id}/close`, { reason: "Hate speech" });

    const codes = await Promise.all([close(), close()]);
    const told = await host.inbox.next("room:closed");

    expect(codes.toSorted()).to.deep.equal(["ROOM_CLOSED", "ok"]);
    expect(told).to.include({ room_id: room.id, reason: "Hate speech" });
    const { data } = (await call("get", `/rooms/${room.id}`)).body;
    expect(data).to.include({ status: "closed", close_reason: "Hate speech", live: null, member_count: 0 });
    expect(
      await query("SELECT action, before, after, reason FROM audit_log WHERE target_id = $1", [room.id]),
    ).to.deep.equal([
      { action: "room.close", before: { status: "open" }, after: { status: "closed" }, reason: "Hate speech" },
    ]);
    expect(await codeOf("post", `/rooms/${newId()}/close`, { reason: "Hate speech" })).to.equal("NOT_FOUND");
    expect(await codeOf("post", `/rooms/${room.id}/close`, {})).to.equal("VALIDATION_ERROR");
  });
});
