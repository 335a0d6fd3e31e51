import { expect } from "chai";
import {
  configureSignInLimits,
  countSignIn,
  signInsPer10Minutes,
} from "#shared/domain/identity/sign-in/sign-in-limits.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useService } from "#shared/testing/service.ts";

describe("logins by tokens, phones, and guests are limited", () => {
  const service = useService();
  beforeEach(() => configureSignInLimits({ enabled: true }));
  afterEach(() => configureSignInLimits({ enabled: false }));

  const times = (count: number, work: () => Promise<void>) => Promise.all(Array.from({ length: count }, work));
  const errorOf = async (ip: string, deviceId?: string) =>
    countSignIn({ ip, deviceId }).then(
      () => "ok",
      ({ code }: { code: string }) => code,
    );

  it("by the network of the address, and others aren't affected", async () => {
    const { network } = signInsPer10Minutes;
    await times(network / 2, () => countSignIn({ ip: "203.0.113.7" }));
    await times(network / 2, () => countSignIn({ ip: "203.0.113.200" }));

    expect([await errorOf("203.0.113.9"), await errorOf("203.0.114.9")]).to.deep.equal(["RATE_LIMITED", "ok"]);
  });

  it("by the device, wherever it is and whichever door it tries", async () => {
    const device = { id: newId(), platform: "android" };
    for (let network = 0; network < signInsPer10Minutes.device; network += 1)
      await countSignIn({ ip: `10.1.${network}.1`, deviceId: device.id });
    const doors: Record<string, object> = {
      "/auth/google": { id_token: "x".repeat(32), nonce: "12345678" },
      "/auth/apple": { id_token: "x".repeat(32), nonce: "12345678" },
      "/auth/facebook": { id_token: "x".repeat(32), nonce: "12345678" },
      "/auth/oidc/line": { id_token: "x".repeat(32), nonce: "12345678" },
      "/auth/phone/code": { mobile: "+919876543210" },
      "/auth/phone": { mobile: "+919876543210", code: "123456" },
      "/auth/guest": {},
    };
    const code = async (path: string, from: object) =>
      (await service.call("post", path, { body: { ...doors[path], device: from } })).body.error?.code ?? "ok";

    for (const path of Object.keys(doors)) {
      expect(await code(path, device), path).to.equal("RATE_LIMITED");
      expect(await code(path, { id: newId() }), path).not.to.equal("RATE_LIMITED");
    }
  });
});
