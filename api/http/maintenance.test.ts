import { expect } from "chai";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { buildRoom } from "#shared/testing/factories.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";

describe("maintenance", () => {
  const service = useService();
  afterEach(closeClients);

  it("rejects users over all transports, and only users", async () => {
    const { id, host } = await buildRoom();
    const client = await connectSocket(service.url, host.token);
    await changeSettings(adminCaller(), { maintenance_mode: true });
    try {
      const refused = await service.call("get", "/wallet", { token: host.token });
      expect(refused.status).to.equal(503);
      expect(refused.body.error.code).to.equal("MAINTENANCE");
      expect(refused.headers.get("retry-after")).to.equal("60");
      expect((await client.ask("room:join", { room_id: id })).error.code).to.equal("MAINTENANCE");
      const config = await service.call("get", "/config/public");
      expect(config.body.data.maintenance_mode).to.equal(true);
      expect(
        (await service.call("post", "/auth/logout", { body: { refreshToken: host.refreshToken } })).status,
      ).to.equal(200);
      expect((await fetch(`${service.url}/healthz`)).status).to.equal(200);
    } finally {
      await changeSettings(adminCaller(), { maintenance_mode: false });
    }
    expect((await service.call("get", "/config/public")).body.data.maintenance_mode).to.equal(false);
  });
});
