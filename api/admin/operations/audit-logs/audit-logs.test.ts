import { expect } from "chai";
import { inTransaction } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";

describe("GET /admin/audit-logs", () => {
  const service = useService();
  let reader: BuiltAdmin;
  const actor = adminCaller();
  const targets = [newId(), newId(), newId()];

  before(async () => {
    reader = await buildAdmin(["audit_logs.read"]);
    for (const [index, id] of targets.entries())
      await inTransaction((tx) =>
        tx.audit(actor, {
          action: index === 0 ? "test.begin" : "test.go_on",
          target: { type: "test_thing", id },
          before: { step: index },
          after: { step: index + 1 },
          reason: "=because",
        }),
      );
  });

  const list = (query: Record<string, string>, admin = reader) =>
    service.admin("get", `/audit-logs?${new URLSearchParams(query)}`, { token: admin.token });
  const targetsOf = async (query: Record<string, string>) => {
    const { body } = await list({ actor_id: actor.adminId, ...query });
    return body.data.items.map(({ target_id }: { target_id: string }) => targets.indexOf(target_id));
  };

  it("shows who changed what, the newest first", async () => {
    const { body } = await list({ actor_id: actor.adminId });

    expect(body.data.total).to.equal(3);
    expect(body.data.items[0]).to.deep.include({
      actor_kind: "admin",
      actor_id: actor.adminId,
      action: "test.go_on",
      target_type: "test_thing",
      target_id: targets[2],
      before: { step: 2 },
      after: { step: 3 },
      reason: "=because",
    });
    expect(await targetsOf({})).to.deep.equal([2, 1, 0]);
  });

  it("filters, sorts, and pages", async () => {
    const at: string[] = (await list({ actor_id: actor.adminId, sort: "at" })).body.data.items.map(
      (entry: { at: string }) => entry.at,
    );

    expect(await targetsOf({ sort: "at" })).to.deep.equal([0, 1, 2]);
    expect(await targetsOf({ action: "test.go_on" })).to.deep.equal([2, 1]);
    expect(await targetsOf({ target_type: "test_thing", target_id: targets[1]! })).to.deep.equal([1]);
    expect(await targetsOf({ target_type: "another" })).to.deep.equal([]);
    expect(await targetsOf({ limit: "2", page: "2" })).to.deep.equal([0]);
    expect(await targetsOf({ from: new Date(Date.parse(at[2]!) + 1).toISOString() })).to.deep.equal([]);
    expect(await targetsOf({ from: at[0]! })).to.deep.equal([2, 1, 0]);
    expect(await targetsOf({ to: at[0]! })).to.deep.equal([]);
  });

  it("has no pages beyond the entries that it counts", async () => {
    const { body } = await list({ page: "1000000", limit: "100" });

    expect(body.data.items).to.deep.equal([]);
    expect(body.data.total).to.be.within(3, 10_000);
  });

  it("downloads the whole list as CSV, with formulas escaped", async () => {
    const { body } = await list({ actor_id: actor.adminId, format: "csv", limit: "1" });

    const [header, ...lines] = (body as string).trim().split("\n");
    expect(header).to.match(/^id,seq,at,actor_kind,actor_id,role,action,/);
    expect(lines).to.have.length(3);
    expect(lines[0]).to.include("'=because").and.include('{""step"":2}');
  });
});
