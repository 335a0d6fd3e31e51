import { expect } from "chai";
import pg from "pg";
import { databaseUrl } from "#shared/db/database-address.ts";
import { query } from "#shared/db/query.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { changeSettings } from "./change-settings.ts";
import { defaultSettings, knownSettings, settingKeys } from "./known-settings.ts";
import { loadSettings, setting } from "./settings.ts";

describe("settings", () => {
  useDatabase();

  afterEach(async () => {
    await query("DELETE FROM settings");
    await loadSettings();
  });

  it("have valid defaults", () => {
    for (const key of settingKeys) {
      const { error } = knownSettings[key].schema.validate(defaultSettings[key]);
      expect(error, key).to.equal(undefined);
    }
  });

  it("change at once, and stay changed after a reload", async () => {
    await changeSettings(adminCaller(), { minimum_age: 16, languages: ["en", "hi"] });
    expect(setting("minimum_age")).to.equal(16);
    await loadSettings();
    expect(setting("languages")).to.deep.equal(["en", "hi"]);
    expect(setting("signup_bonus")).to.equal(defaultSettings.signup_bonus);
  });

  it("aren't set back by a reload that began before a change", async () => {
    const reloads: Promise<void>[] = [];
    for (let minimum_age = 20; minimum_age < 99; minimum_age++) {
      const reload = setInterval(() => reloads.push(loadSettings()), 0);
      await changeSettings(adminCaller(), { minimum_age });
      clearInterval(reload);
      await Promise.all(reloads.splice(0));
      expect(setting("minimum_age")).to.equal(minimum_age);
    }
  });

  it("audit each value that an administrator changes", async () => {
    const admin = adminCaller();

    await changeSettings(admin, { minimum_age: 16 });
    await changeSettings(admin, { minimum_age: 18, app_name: "Murmur" });

    const entries = await query(
      "SELECT target_id, before, after FROM audit_log WHERE principal_id = $1 ORDER BY target_id, id",
      [admin.adminId],
    );
    expect(entries).to.deep.equal([
      { target_id: "app_name", before: { value: defaultSettings.app_name }, after: { value: "Murmur" } },
      { target_id: "minimum_age", before: { value: defaultSettings.minimum_age }, after: { value: 16 } },
      { target_id: "minimum_age", before: { value: 16 }, after: { value: 18 } },
    ]);
  });

  it("notify other processes with the commit", async () => {
    const listener = new pg.Client({ connectionString: databaseUrl() });
    await listener.connect();
    try {
      await listener.query("LISTEN hubbub_signals");
      const told = new Promise<string>((resolve) =>
        listener.once("notification", ({ payload }) => resolve(payload ?? "")),
      );
      await changeSettings(adminCaller(), { app_name: "Murmur" });
      expect(JSON.parse(await told)).to.have.property("name", "settings.changed");
    } finally {
      await listener.end();
    }
  });

  for (const [why, changes] of [
    ["an unknown key", { nonsense: 1 }],
    ["a wrong type", { minimum_age: "13" }],
    ["a value out of bounds", { gift_receiver_percent: 101 }],
    ["one bad value among good ones", { signup_bonus: 5, maintenance_mode: "yes" }],
    ["nothing", {}],
  ] as const) {
    it(`refuse ${why} and change nothing`, async () => {
      const failure = await changeSettings(adminCaller(), changes as object).catch((error: unknown) => error);
      expect(failure).to.have.property("code", "VALIDATION_ERROR");
      expect(await query("SELECT key FROM settings")).to.deep.equal([]);
      expect(setting("signup_bonus")).to.equal(defaultSettings.signup_bonus);
    });
  }

  it("use the default when a stored value is invalid", async () => {
    await query(
      `INSERT INTO settings (key, value) VALUES ('minimum_age', '"old"'), ('gone', '1'), ('app_name', '"A"')`,
    );
    await loadSettings();
    expect(setting("minimum_age")).to.equal(13);
    expect(setting("app_name")).to.equal("A");
  });
});
