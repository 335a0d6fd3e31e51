import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { loadSettings } from "#shared/domain/base/settings/settings.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";

describe("GET /config/public", () => {
  const service = useService();
  afterEach(async () => {
    await query("DELETE FROM settings");
    await loadSettings();
  });

  it("returns what a client needs without a token, and follows the settings", async () => {
    const { status, body } = await service.call("get", "/config/public");
    expect(status).to.equal(200);
    expect(body.data).to.include({ app_name: "Hubbub", maintenance_mode: false, min_client_version: "1.0.0" });
    expect(body.data.room_categories).to.include("music");
    expect(body.data.limits).to.deep.equal({
      message_length: 1000,
      seats_min: 2,
      seats_max: 20,
      seats_default: 8,
      gift_quantity_max: 999,
      post_length: 5000,
      post_media_max: 10,
      comment_length: 1000,
    });
    await changeSettings(adminCaller(), { app_name: "Murmur", languages: ["fr"] });
    const changed = await service.call("get", "/config/public");
    expect(changed.body.data).to.deep.include({ app_name: "Murmur", languages: ["fr"] });
  });

  it("ignores a bad token, and reveals no other setting", async () => {
    const { status, body } = await service.call("get", "/config/public", { token: "rubbish" });
    expect(status).to.equal(200);
    expect(body.data).not.to.have.any.keys("signup_bonus", "gift_receiver_percent");
  });
});
