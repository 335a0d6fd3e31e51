import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { closeClients, connectSocket, joinNative } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("users, for administrators", () => {
  const service = useService();
  let admin: BuiltAdmin;
  before(async () => {
    admin = await buildAdmin(["users.read", "users.write", "users.suspend"]);
  });
  afterEach(closeClients);

  const call = (method: string, path: string, body?: object) =>
    service.admin(method, path, { token: admin.token, ...(body && { body }) });
  const codeOf = async (...args: Parameters<typeof call>) => (await call(...args)).body.error?.code ?? "ok";
  const found = async (q: string): Promise<string[]> =>
    (await call("get", `/users?limit=100&q=${encodeURIComponent(q)}`)).body.data.items.map(({ id }: BuiltUser) => id);
  const mobileNumber = () => `+1${Date.now()}`.slice(0, 12) + Math.floor(Math.random() * 1000);
  const lastEntry = async (userId: string) =>
    (
      await query(
        "SELECT action, before, after, reason FROM audit_log WHERE target_id = $1 ORDER BY seq DESC LIMIT 1",
        [userId],
      )
    )[0];

  it("are found by a part of a name, and by their whole email address, number, or ID", async () => {
    const token = newId().slice(-12);
    const mobile = mobileNumber();
    const user = await buildUser({ full_name: `Grace ${token} 100%_Hopper`, mobile });

    for (const q of [user.username.slice(2, 14), `${token} 100%_hop`, user.email.toUpperCase(), mobile, user.id])
      expect(await found(q), q).to.deep.equal([user.id]);
    const indian = `+9198${String(Date.now()).slice(-8)}`;
    const owner = await buildUser({ mobile: indian });
    for (const q of [`${indian.slice(0, 3)} ${indian.slice(3, 8)}-${indian.slice(8)}`, `00${indian.slice(1)}`])
      expect(await found(q), q).to.deep.equal([owner.id]);
    for (const q of [user.email.slice(1), mobile.slice(0, -1), `${token} 100%%`, "\u0301\u0301"])
      expect(await found(q), q).to.deep.equal([]);
  });

  it("are filtered by status, sorted, paged, and counted alike", async () => {
    const token = newId().slice(-12);
    const [first, second] = [await buildUser({ full_name: token }), await buildUser({ full_name: token })];
    await call("post", `/users/${second.id}/suspend`, { reason: "spam" });
    const list = async (more: string) => {
      const { items, total } = (await call("get", `/users?q=${token}&${more}`)).body.data;
      return { ids: items.map(({ id }: BuiltUser) => id), total };
    };

    expect(await list("")).to.deep.equal({ ids: [second.id, first.id], total: 2 });
    expect(await list("sort=created_at&limit=1&page=2")).to.deep.equal({ ids: [second.id], total: 2 });
    expect(await list("status=suspended")).to.deep.equal({ ids: [second.id], total: 1 });
    expect(await list("page=9")).to.deep.equal({ ids: [], total: 2 });
    expect((await list("sort=username")).ids).to.deep.equal(
      [first, second].toSorted((a, b) => (a.username < b.username ? -1 : 1)).map(({ id }) => id),
    );
    expect(await codeOf("get", "/users?sort=email")).to.equal("VALIDATION_ERROR");
  });

  it("are downloaded without personal data", async () => {
    const token = newId().slice(-12);
    const people = await Promise.all([1, 2, 3].map(() => buildUser({ full_name: token })));

    const { body } = await call("get", `/users?format=csv&q=${token}`);

    const [head, ...rows] = String(body).trimEnd().split("\n");
    expect(rows.map((row) => row.split(",")[0])).to.have.members(people.map(({ id }) => id));
    expect(head).to.match(/^id,status/);
    expect(body).not.to.include(token).and.not.include("@");
    for (const { username } of people) expect(body).not.to.include(username);
  });

  it("show their wallet, and the newest of what is theirs with totals", async () => {
    const [user, gift] = [await buildUser({ coins: 70 }), await buildGift()];
    const rooms = [];
    for (let index = 0; index < 2; index += 1) rooms.push(await buildRoom({ host: user }));
    const reporter = await buildUser();
    const report = { target_type: "room", target_id: rooms[0]!.id, reason: "Noise", details: "" };
    await service.call("post", "/reports", { token: reporter.token, body: report });
    await query(
      `INSERT INTO gift_transactions (id, gift_id, room_id, sender_id, recipient_id, quantity, unit_price, total_coins,
         recipient_coins)
       SELECT gen_random_uuid(), $1, $2, $3, $4, 1, 10, 10, 5 FROM generate_series(1, 12)`,
      [gift.id, rooms[0]!.id, reporter.id, user.id],
    );

    const { data } = (await call("get", `/users/${user.id}`)).body;

    expect(data).to.include({ id: user.id, email: user.email, suspension: null, is_online: false });
    expect(data.wallet).to.deep.equal({ balance: 70, debt: 0 });
    expect(data.rooms.items.map(({ id }: { id: string }) => id)).to.deep.equal([rooms[1]!.id, rooms[0]!.id]);
    expect(data.gifts_received.total).to.equal(12);
    expect(data.gifts_received.items).to.have.length(10);
    expect(data.reports_against.items[0]).to.include({ reporter_id: reporter.id, reason: "Noise", status: "open" });
    expect([data.sessions.total, data.gifts_sent.total, data.orders.total, data.devices.total]).to.deep.equal([
      1, 0, 0, 0,
    ]);
    expect(JSON.stringify(data)).not.to.match(/password_hash|\$argon2/);
    expect(await codeOf("get", `/users/${newId()}`)).to.equal("NOT_FOUND");
  });

  it("lose every way in at a suspension", async () => {
    const [user, room] = [await buildUser(), await buildRoom()];
    const host = await connectSocket(service.url, room.host.token);
    await host.ask("room:join", { room_id: room.id });
    const socket = await connectSocket(service.url, user.token);
    await socket.ask("room:join", { room_id: room.id });
    const native = await joinNative(service.url, user.token, { room_id: room.id });
    const game = { token: user.token, body: { type: "ludo" } };
    const lobby = (await service.call("post", "/games/lobbies", game)).body.data;

    const { body } = await call("post", `/users/${user.id}/suspend`, { reason: "Spam", until: "2099-01-01T00:00:00Z" });

    await Promise.all([
      socket.inbox.next("disconnect"),
      native.inbox.next("leave"),
      host.inbox.next("room:participant_left", ({ user_id }) => user_id === user.id),
      until("the lobby is cancelled", async () => {
        const rows = await query("SELECT 1 FROM game_lobbies WHERE id = $1 AND status = 'cancelled'", [lobby.id]);
        return rows.length > 0;
      }),
    ]);
    const calls = await Promise.all([
      service.call("get", "/auth/me", { token: user.token }),
      service.call("post", `/rooms/${room.id}/voice-token`, { token: user.token }),
      service.call("post", "/auth/login", { body: { identifier: user.username, password: user.password } }),
    ]);
    const refused = await connectSocket(service.url, user.token).then(
      () => "connected",
      (error: unknown) => String((error as { data?: { code?: string } }).data?.code ?? error),
    );

    expect(body.data).to.include({ status: "suspended", suspended_until: "2099-01-01T00:00:00.000Z" });
    expect(calls.map(({ body: { error } }) => error.code)).to.deep.equal(Array(3).fill("ACCOUNT_SUSPENDED"));
    expect(refused).to.include("ACCOUNT_SUSPENDED");
    expect(await lastEntry(user.id)).to.deep.equal({
      action: "user.suspend",
      before: { status: "active" },
      after: { status: "suspended", until: "2099-01-01T00:00:00.000Z" },
      reason: "Spam",
    });
    expect((await call("get", `/users/${user.id}`)).body.data.suspension).to.include({
      reason: "Spam",
      until: "2099-01-01T00:00:00.000Z",
    });
  });

  it("are suspended once by two administrators at a time, and reactivated once", async () => {
    const { id } = await buildUser();
    const twice = async (verb: string, body?: object) =>
      (await Promise.all([1, 2].map(() => codeOf("post", `/users/${id}/${verb}`, body)))).toSorted();

    expect(await twice("suspend", { reason: "Spam" })).to.deep.equal(["CONFLICT", "ok"]);
    expect(await twice("reactivate")).to.deep.equal(["CONFLICT", "ok"]);
    expect((await call("get", `/users/${id}`)).body.data).to.include({ status: "active", suspension: null });
  });

  it("are not suspended without a reason, or until a time that has passed", async () => {
    const { id } = await buildUser();
    const suspend = (body: object) => codeOf("post", `/users/${id}/suspend`, body);

    expect(await suspend({})).to.equal("VALIDATION_ERROR");
    expect(await suspend({ reason: "Spam", until: "2020-01-01T00:00:00Z" })).to.equal("VALIDATION_ERROR");
    expect(await codeOf("post", `/users/${newId()}/suspend`, { reason: "Spam" })).to.equal("NOT_FOUND");
    expect(await lastEntry(id)).to.equal(undefined);
  });

  it("are logged out everywhere, and can log in again", async () => {
    const user = await buildUser();
    const login = { body: { identifier: user.username, password: user.password } };
    await service.call("post", "/auth/login", login);
    const socket = await connectSocket(service.url, user.token);

    const { body } = await call("post", `/users/${user.id}/end-sessions`);
    await socket.inbox.next("disconnect");

    expect(body.data).to.deep.equal({ id: user.id, ended: 2 });
    expect((await service.call("get", "/auth/me", { token: user.token })).body.error.code).to.equal("UNAUTHENTICATED");
    expect((await service.call("post", "/auth/login", login)).status).to.equal(200);
    expect(await lastEntry(user.id)).to.deep.include({ action: "user.end_sessions", after: { ended: 2 } });
  });

  it("have an address verified by hand, unless another account has verified it", async () => {
    const mobile = mobileNumber();
    const [first, second] = [await buildUser({ mobile }), await buildUser()];
    await query("UPDATE users SET mobile = $2 WHERE id = $1", [second.id, mobile]);
    const verify = (userId: string, address: string) => codeOf("post", `/users/${userId}/verify`, { address });

    const race = await Promise.all([verify(first.id, "mobile"), verify(second.id, "mobile")]);

    expect(race.toSorted()).to.deep.equal(["MOBILE_TAKEN", "ok"]);
    expect(await verify(first.id, "email")).to.equal("ok");
    expect(await verify(first.id, "email")).to.equal("CONFLICT");
    expect(await verify((await buildUser()).id, "mobile")).to.equal("CONFLICT");
    expect(await verify(first.id, "username")).to.equal("VALIDATION_ERROR");
    expect((await call("get", `/users/${first.id}`)).body.data.email_verified).to.equal(true);
    expect(await lastEntry(first.id)).to.deep.include({
      action: "user.verify",
      before: { email_verified: false },
      after: { email_verified: true },
    });
  });

  it("are found by their ID at a provider, and have identities unlinked for a reason, but never the last", async () => {
    const user = await buildUser();
    const subject = newId();
    await query(
      "INSERT INTO identities (provider, subject, user_id, email) VALUES ('google', $1, $2, 'g@example.com')",
      [subject, user.id],
    );
    const unlink = (provider: string, reason = "Lost account") =>
      codeOf("post", `/users/${user.id}/unlink-identity`, { provider, reason });

    expect(await found(subject)).to.deep.equal([user.id]);
    const { identities } = (await call("get", `/users/${user.id}`)).body.data;
    expect(identities.items.map((one: object) => ({ ...one, linked_at: "" }))).to.deep.equal([
      { provider: "google", subject, email: "g@example.com", email_verified: false, linked_at: "", last_used_at: null },
      { provider: "password", subject: null, email: null, email_verified: false, linked_at: "", last_used_at: null },
    ]);
    expect([await unlink("apple"), await unlink("google", ""), await unlink("google")]).to.deep.equal([
      "NOT_FOUND",
      "VALIDATION_ERROR",
      "ok",
    ]);
    expect(await lastEntry(user.id)).to.deep.include({
      action: "user.unlink_identity",
      before: { provider: "google" },
      reason: "Lost account",
    });
    expect([await unlink("password"), await found(subject)]).to.deep.equal(["LAST_IDENTITY", []]);
  });

  it("have a second factor removed, for a reason", async () => {
    const user = await buildUser();
    const remove = () => codeOf("post", `/users/${user.id}/remove-second-factor`, { reason: "Lost phone" });
    const hasFactor = async () => (await call("get", `/users/${user.id}`)).body.data.second_factor;
    const without = await remove();
    await query("UPDATE users SET totp_secret_sealed = 'x', totp_confirmed_at = now() WHERE id = $1", [user.id]);

    expect([without, await hasFactor(), await remove(), await hasFactor()]).to.deep.equal([
      "CONFLICT",
      true,
      "ok",
      false,
    ]);
    expect(await lastEntry(user.id)).to.deep.include({ action: "user.remove_second_factor", reason: "Lost phone" });
  });

  it("show when a guest became a user", async () => {
    const guest = await buildUser({ guest: true });
    const seen = async () => {
      const { is_guest, guest_ended_at } = (await call("get", `/users/${guest.id}`)).body.data;
      return [is_guest, typeof guest_ended_at];
    };
    const before = await seen();
    await query("UPDATE users SET password_hash = NULL WHERE id = $1", [guest.id]);
    await service.call("post", "/users/me/identities/password", {
      token: guest.token,
      body: { password: "another correct horse" },
    });
    expect([before, await seen()]).to.deep.equal([
      [true, "object"],
      [false, "string"],
    ]);
  });
});
