import { expect } from "chai";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { accessClaims, claimsCache, forgetClaims } from "./verified-tokens.ts";

const inSeconds = (seconds: number) => ({
  sub: newId(),
  sid: newId(),
  typ: "access",
  iat: 0,
  exp: Math.floor(Date.now() / 1000) + seconds,
});

describe("verified tokens", () => {
  const service = useService();
  afterEach(forgetClaims);

  it("are known until they expire", () => {
    const claims = inSeconds(60);
    accessClaims.keep("a.good.one", claims);
    accessClaims.keep("an.old.one", inSeconds(0));
    expect(accessClaims.find("a.good.one")).to.equal(claims);
    expect(accessClaims.find("an.old.one")).to.equal(undefined);
    expect(accessClaims.find("another.one")).to.equal(undefined);
  });

  it("are at most ten thousand", () => {
    for (let number = 0; number <= 10_000; number += 1) accessClaims.keep(`token ${number}`, inSeconds(60));
    expect(accessClaims.find("token 0")).to.equal(undefined);
    expect(accessClaims.find("token 1")).not.to.equal(undefined);
    expect(accessClaims.find("token 10000")).not.to.equal(undefined);
  });

  it("of all kinds are forgotten together", () => {
    const others = claimsCache<{ exp: number }>();
    others.keep("another.kind", inSeconds(60));
    expect(accessClaims.find("another.kind")).to.equal(undefined);

    forgetClaims();

    expect(others.find("another.kind")).to.equal(undefined);
  });

  it("don't outlive their session: its end holds at the next call", async () => {
    const { token, refreshToken } = await buildUser();
    const code = async () => (await service.call("get", "/users/me", { token })).body.error?.code ?? "ok";
    expect([await code(), await code()]).to.deep.equal(["ok", "ok"]);
    expect(accessClaims.find(token)).not.to.equal(undefined);
    await service.call("post", "/auth/logout", { body: { refreshToken } });
    expect(await code()).to.equal("UNAUTHENTICATED");
    expect(accessClaims.find(`${token}x`)).to.equal(undefined);
  });
});
