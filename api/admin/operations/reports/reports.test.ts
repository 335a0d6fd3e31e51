import { expect } from "chai";
import type { Permission } from "#shared/contracts/permissions.ts";
import { query } from "#shared/db/query.ts";
import { claimMinutes } from "#shared/domain/operations/moderation/claim-report.ts";
import { minutesMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildPost, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { useClock } from "#shared/testing/use-clock.ts";

const all: Permission[] = ["reports.read", "reports.write", "posts.write", "users.suspend", "sanctions.write"];

describe("reports, for administrators", () => {
  const service = useService();
  const clock = useClock();
  let admin: BuiltAdmin;
  let reporter: BuiltUser;
  let target: BuiltUser;
  beforeEach(async () => {
    [admin, reporter, target] = await Promise.all([buildAdmin(all), buildUser(), buildUser()]);
  });
  afterEach(closeClients);

  const call = (method: string, path: string, body?: object, by = admin) =>
    service.admin(method, path, { token: by.token, ...(body && { body }) });
  const codeOf = async (...args: Parameters<typeof call>) => (await call(...args)).body.error?.code ?? "ok";

  async function report(target_type: string, target_id: string, by = reporter): Promise<string> {
    const body = { target_type, target_id, reason: "Harassment", details: "Since Monday." };
    return (await service.call("post", "/reports", { token: by.token, body })).body.data.id;
  }
  const reportTarget = (by = reporter) => report("user", target.id, by);
  const resolve = (id: string, body: object, by = admin) => call("post", `/reports/${id}/resolve`, body, by);
  const resolveCode = async (...args: Parameters<typeof resolve>) => (await resolve(...args)).body.error?.code ?? "ok";
  const notificationsOf = async (user: BuiltUser) =>
    (await service.call("get", "/notifications", { token: user.token })).body.data.items.map(
      ({ type, data }: { type: string; data: object }) => ({ type, data }),
    );
  const entriesOn = (id: string) =>
    query("SELECT action, before, after FROM audit_log WHERE target_id = $1 ORDER BY seq", [id]);

  it("are found by status, target, user, and age", async () => {
    const post = await buildPost({ author: target });
    const [ofUser, ofPost] = [await reportTarget(), await report("post", post.id)];
    const [{ created_at }] = (await call("get", `/reports?target_id=${post.id}`)).body.data.items;
    const ids = async (filter: string) =>
      (await call("get", `/reports?target_user_id=${target.id}&${filter}`)).body.data.items.map(
        ({ id }: { id: string }) => id,
      );

    await resolve(ofUser, { resolution: "dismissed" });

    expect(await ids("")).to.deep.equal([ofPost, ofUser]);
    expect(await ids("sort=created_at")).to.deep.equal([ofUser, ofPost]);
    expect(await ids("status=open")).to.deep.equal([ofPost]);
    expect(await ids("target_type=user")).to.deep.equal([ofUser]);
    expect(await ids(`from=${created_at}`)).to.deep.equal([ofPost]);
    expect(await ids("to=2020-01-01T00:00:00Z")).to.deep.equal([]);
    expect(await codeOf("get", "/reports?from=yesterday")).to.equal("VALIDATION_ERROR");
    const csv = (await call("get", `/reports?format=csv&target_user_id=${target.id}`)).body;
    expect(String(csv).trimEnd().split("\n")).to.have.length(3);
    expect(csv).not.to.include("Harassment");
  });

  it("show the evidence as it was when it was reported", async () => {
    const post = await buildPost({ author: target, content: "You fool" });
    const id = await report("post", post.id);
    await service.call("delete", `/posts/${post.id}`, { token: target.token });

    const { data } = (await call("get", `/reports/${id}`)).body;

    expect(data.evidence).to.include({ content: "You fool" });
    expect(data).to.include({ details: "Since Monday.", open_reports_of_target: 1, reports_against_user: 1 });
    expect([data.reporter.id, data.target_user.id]).to.deep.equal([reporter.id, target.id]);
    expect(await codeOf("get", `/reports/${newId()}`)).to.equal("NOT_FOUND");
  });

  it("are claimed by one administrator at a time, until the claim expires", async () => {
    const [id, other] = [await reportTarget(), await buildAdmin(all)];
    const claim = (by: BuiltAdmin) => codeOf("post", `/reports/${id}/claim`, undefined, by);

    const race = await Promise.all([claim(admin), claim(other)]);
    const [holder, late] = race[0] === "ok" ? [admin, other] : [other, admin];

    expect(race.toSorted()).to.deep.equal(["CONFLICT", "ok"]);
    expect(await claim(holder)).to.equal("ok");
    expect((await call("get", `/reports/${id}`)).body.data.claimed_by).to.equal(holder.id);
    expect(await resolveCode(id, { resolution: "dismissed" }, late)).to.equal("CONFLICT");
    clock.forward(minutesMs(claimMinutes));
    expect(await claim(late)).to.equal("ok");
    expect(await resolveCode(id, { resolution: "dismissed" }, holder)).to.equal("CONFLICT");
    expect(await resolveCode(id, { resolution: "dismissed" }, late)).to.equal("ok");
    expect(await claim(late)).to.equal("CONFLICT");
  });

  it("are resolved once, and the reporter learns nothing about anyone else", async () => {
    const [id, other] = [await reportTarget(), await buildAdmin(all)];
    const body = { resolution: "resolved", action: "warn", note: "Third time" };
    const race = await Promise.all([resolveCode(id, body), resolveCode(id, body, other)]);

    expect(race.toSorted()).to.deep.equal(["CONFLICT", "ok"]);
    expect((await call("get", `/reports/${id}`)).body.data).to.include({
      status: "resolved",
      action: "warn",
      note: "Third time",
      open_reports_of_target: 0,
    });
    const sanctions = await service.call("get", "/users/me/sanctions", { token: target.token });
    expect(sanctions.body.data[0]).to.deep.include({ kinds: [], cause: "report", status: "active" });
    expect(sanctions.body.data[0].reason).to.match(/^Your profile or behavior breaks/);
    const about = { user: null, count: 1 };
    expect(await notificationsOf(reporter)).to.deep.equal([
      { type: "report_closed", data: { ...about, report_id: id } },
    ]);
    expect(await notificationsOf(target)).to.deep.equal([{ type: "warning", data: { ...about, target_type: "user" } }]);
    expect(await entriesOn(id)).to.deep.equal([
      { action: "report.resolve", before: { status: "open" }, after: { status: "resolved", action: "warn" } },
    ]);
  });

  it("impose a sanction of their own", async () => {
    const [id, clerk] = [await reportTarget(), await buildAdmin(["reports.write"])];
    const sanction = { kinds: ["gift"], reason: "Insults in a room." };
    expect(await resolveCode(id, { resolution: "resolved", sanction }, clerk)).to.equal("FORBIDDEN");
    expect(await resolveCode(id, { resolution: "dismissed", sanction })).to.equal("VALIDATION_ERROR");
    expect(await resolveCode(id, { resolution: "resolved", sanction })).to.equal("ok");
    const { body } = await service.call("get", "/users/me/sanctions", { token: target.token });
    expect(body.data[0]).to.deep.include({ ...sanction, cause: "report" });
    expect(JSON.stringify(body)).not.to.include(reporter.id);
  });

  it("suspend the user in the same transaction, or neither", async () => {
    const [id, clerk] = [await reportTarget(), await buildAdmin(["reports.write"])];
    const body = { resolution: "resolved", action: "suspend", until: "2099-01-01T00:00:00Z" };

    const refused = await resolveCode(id, body, clerk);
    const several = await service.admin("post", "/reports/resolve", {
      token: clerk.token,
      body: { ids: [id], ...body },
    });
    const past = await resolveCode(id, { ...body, until: "2020-01-01T00:00:00Z" });
    const before = await service.call("get", "/auth/me", { token: target.token });
    const { data } = (await resolve(id, body)).body;
    const after = await service.call("get", "/auth/me", { token: target.token });

    expect([refused, past, before.status]).to.deep.equal(["FORBIDDEN", "VALIDATION_ERROR", 200]);
    expect(several.body.data.results).to.deep.equal([{ id, outcome: "FORBIDDEN" }]);
    expect(
      await query("SELECT target_id, after FROM audit_log WHERE principal_id = $1 ORDER BY seq", [clerk.id]),
    ).to.deep.equal([
      { target_id: "resolveReport", after: { refused: "This action requires the permission users.suspend." } },
      { target_id: "resolveReports", after: { refused: [id] } },
    ]);
    expect(data.effects).to.deep.equal([{ action: "user.suspend", type: "user", id: target.id }]);
    expect(after.body.error.code).to.equal("ACCOUNT_SUSPENDED");
    expect((await entriesOn(target.id)).map(({ action }) => action)).to.deep.equal(["user.suspend"]);
  });

  for (const action of ["hide", "remove"] as const)
    it(`${action} posts and comments`, async () => {
      const post = await buildPost({ author: target });
      const says = { token: target.token, body: { content: "Fool!" } };
      const comment = (await service.call("post", `/posts/${post.id}/comments`, says)).body.data;
      const read = async () => {
        const [list, one] = await Promise.all(
          [`/posts/${post.id}/comments`, `/posts/${post.id}`].map((path) =>
            service.call("get", path, { token: reporter.token }),
          ),
        );
        return [list?.body.data?.items.length, one?.status];
      };

      const ofComment = await resolve(await report("comment", comment.id), { resolution: "resolved", action });
      const withoutComment = await read();
      const id = await report("post", post.id);
      const refused = await resolveCode(id, { resolution: "resolved", action }, await buildAdmin(["reports.write"]));
      await resolve(id, { resolution: "resolved", action });

      expect(ofComment.body.data.effects).to.deep.equal([
        { action: `comment.${action}`, type: "comment", id: comment.id },
      ]);
      expect(withoutComment).to.deep.equal([0, 200]);
      expect(refused).to.equal("FORBIDDEN");
      expect(await read()).to.deep.equal([undefined, 404]);
    });

  it("remove a message of a room from its members' screens and its history", async () => {
    const room = await buildRoom({ host: reporter });
    const [host, guest] = await Promise.all([reporter, target].map(({ token }) => connectSocket(service.url, token)));
    for (const client of [host!, guest!]) await client.ask("room:join", { room_id: room.id });
    const said = await guest!.ask("room:message", { room_id: room.id, body: "You fool" });

    const { data } = (
      await resolve(await report("message", said.data.id), { resolution: "resolved", action: "remove" })
    ).body;
    const shown = await host!.inbox.next("room:message_deleted");
    const history = await service.call("get", `/rooms/${room.id}/messages`, { token: reporter.token });

    expect(data.effects).to.deep.equal([{ action: "message.remove", type: "message", id: said.data.id }]);
    expect(shown).to.include({ message_id: said.data.id, by: target.id });
    expect(history.body.data.items).to.deep.equal([]);
  });

  it("empty a direct message", async () => {
    const opened = await service.call("post", "/conversations", {
      token: target.token,
      body: { peer_id: reporter.id },
    });
    const path = `/conversations/${opened.body.data.id}/messages`;
    const sent = await service.call("post", path, { token: target.token, body: { body: "You fool" } });

    await resolve(await report("message", sent.body.data.id), { resolution: "resolved", action: "remove" });

    const { items } = (await service.call("get", path, { token: reporter.token })).body.data;
    expect(items.map(({ body }: { body: string }) => body)).to.deep.equal([""]);
  });

  it("reject an action that their target doesn't have, and change nothing", async () => {
    const room = await buildRoom({ host: target });
    const [ofUser, ofRoom] = [await reportTarget(), await report("room", room.id)];
    for (const [id, body] of [
      [ofUser, { resolution: "resolved", action: "hide" }],
      [ofRoom, { resolution: "resolved", action: "remove" }],
      [ofUser, { resolution: "dismissed", action: "warn" }],
      [ofUser, { resolution: "resolved", action: "warn", until: "2099-01-01T00:00:00Z" }],
      [ofUser, { resolution: "open" }],
    ] as const)
      expect(await resolveCode(id, body), JSON.stringify(body)).to.equal("VALIDATION_ERROR");

    expect((await call("get", `/reports/${ofUser}`)).body.data).to.include({ status: "open", action: null });
    expect(await notificationsOf(reporter)).to.deep.equal([]);
  });

  it("are resolved in bulk, with a result for each and the action done once", async () => {
    const reporters = await Promise.all([1, 2].map(() => buildUser()));
    const ids = await Promise.all(reporters.map((by) => reportTarget(by)));
    const closed = await reportTarget();
    await resolve(closed, { resolution: "dismissed" });
    const lost = newId();

    const { data } = (
      await call("post", "/reports/resolve", { ids: [...ids, closed, lost], resolution: "resolved", action: "suspend" })
    ).body;

    expect(data.results).to.deep.equal([
      { id: ids[0], outcome: "done", effects: [{ action: "user.suspend", type: "user", id: target.id }] },
      { id: ids[1], outcome: "done", effects: [] },
      { id: closed, outcome: "CONFLICT" },
      { id: lost, outcome: "NOT_FOUND" },
    ]);
    for (const by of reporters)
      expect((await notificationsOf(by)).map(({ type }: { type: string }) => type)).to.deep.equal(["report_closed"]);
  });
});
