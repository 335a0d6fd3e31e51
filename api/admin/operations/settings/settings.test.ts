import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { settingKeys } from "#shared/domain/base/settings/known-settings.ts";
import { loadSettings, setting } from "#shared/domain/base/settings/settings.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { useService } from "#shared/testing/service.ts";

describe("settings for administrators", () => {
  const service = useService();
  let admin: BuiltAdmin;
  before(async () => {
    admin = await buildAdmin(["settings.read", "settings.write"]);
  });
  afterEach(async () => {
    await query("DELETE FROM settings");
    await loadSettings();
  });
  const patch = (body: object, { token } = admin) => service.admin("patch", "/settings", { token, body });
  const recordOf = async (key: string) => {
    const { body } = await service.admin("get", "/settings", { token: admin.token });
    return body.data.find((record: { key: string }) => record.key === key);
  };

  it("are listed with type, default, and description", async () => {
    const { body } = await service.admin("get", "/settings", { token: admin.token });

    expect(body.data.map(({ key }: { key: string }) => key)).to.deep.equal(settingKeys);
    expect(await recordOf("minimum_age")).to.deep.equal({
      key: "minimum_age",
      type: "integer",
      value: 13,
      default: 13,
      description: "The minimum age in years, checked if a user gives their date of birth.",
      version: 0,
      updated_at: null,
      updated_by: null,
    });
    expect((await recordOf("languages")).type).to.equal("list");
  });

  it("change at once, with who and when, and the values before and after in the audit log", async () => {
    const { body, headers } = await patch({ minimum_age: 16, app_name: "Murmur" });

    const record = await recordOf("minimum_age");
    expect(record).to.include({ value: 16, default: 13, updated_by: admin.id });
    expect(record.updated_at).to.be.a("string");
    expect(body.data).to.deep.include(record);
    expect(setting("app_name")).to.equal("Murmur");
    const entries = await query(
      "SELECT action, target_id, before, after FROM audit_log WHERE request_id = $1 ORDER BY target_id",
      [headers.get("x-request-id")],
    );
    expect(entries).to.deep.equal([
      { action: "setting.change", target_id: "app_name", before: { value: "Hubbub" }, after: { value: "Murmur" } },
      { action: "setting.change", target_id: "minimum_age", before: { value: 13 }, after: { value: 16 } },
    ]);
  });

  it("tell two administrators what the other one has changed", async () => {
    const patchAt = (version: number, body: object) =>
      service.admin("patch", "/settings", { token: admin.token, body, headers: { "if-match": `"${version}"` } });
    await patch({ app_name: "Murmur" });
    const seen = (await recordOf("app_name")).version;

    const [one, two] = await Promise.all([16, 17].map((age) => patchAt(seen, { minimum_age: age, app_name: "M" })));
    const other = await patchAt(seen, { signup_bonus: 5 });

    const [kept, stale] = one!.status === 200 ? [16, two!] : [17, one!];
    expect([one!.status, two!.status].sort()).to.deep.equal([200, 409]);
    expect(stale.body.error.details).to.deep.equal([
      { field: "app_name", message: 'app_name is now "M"' },
      { field: "minimum_age", message: `minimum_age is now ${kept}` },
    ]);
    expect(other.status).to.equal(200);
    expect((await recordOf("minimum_age")).value).to.equal(kept);
  });

  for (const change of [{}, { nonsense: 1 }, { minimum_age: "16" }, { minimum_age: 15, signup_bonus: -1 }])
    it(`reject ${JSON.stringify(change)} and change nothing`, async () => {
      const { status, body } = await patch(change);

      expect([status, body.error.code]).to.deep.equal([400, "VALIDATION_ERROR"]);
      expect(await query("SELECT key FROM settings")).to.deep.equal([]);
    });

  for (const change of [{ maintenance_mode: true }, { maintenance_message: "Gone." }])
    it(`don't let an administrator set ${Object.keys(change)} without the permission for maintenance`, async () => {
      const operator = await buildAdmin(["settings.write", "system.maintenance"]);

      const refused = await patch(change);
      const allowed = await patch(change, operator);

      expect(refused.body.error.code).to.equal("FORBIDDEN");
      expect(allowed.status).to.equal(200);
    });
});
